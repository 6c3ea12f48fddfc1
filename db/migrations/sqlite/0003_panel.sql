CREATE TABLE `panel_sessions` (
	`hash` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`key_id` text NOT NULL,
	`key_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `panel_sessions_project` ON `panel_sessions` (`project_id`);--> statement-breakpoint
CREATE INDEX `panel_sessions_key` ON `panel_sessions` (`key_id`,`last_used_at`);--> statement-breakpoint
CREATE INDEX `panel_sessions_last_used` ON `panel_sessions` (`last_used_at`);--> statement-breakpoint
CREATE TABLE `statistics` (
	`project_id` text NOT NULL,
	`server_id` text NOT NULL,
	`at` integer NOT NULL,
	`online` integer NOT NULL,
	`succeeded` integer NOT NULL,
	`refused` integer NOT NULL,
	`failed` integer NOT NULL,
	`unknown` integer NOT NULL,
	PRIMARY KEY(`project_id`, `at`, `server_id`)
);
--> statement-breakpoint
CREATE INDEX `statistics_at` ON `statistics` (`at`);