CREATE TABLE `catalogues` (
	`project_id` text NOT NULL,
	`server_id` text NOT NULL,
	`kind` text NOT NULL,
	`hash` text NOT NULL,
	`synced_at` integer NOT NULL,
	`entries` text NOT NULL,
	PRIMARY KEY(`project_id`, `server_id`, `kind`)
);
--> statement-breakpoint
ALTER TABLE `sessions` ADD `classes` text;