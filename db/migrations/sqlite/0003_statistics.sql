CREATE TABLE `statistics_hours` (
	`project_id` text NOT NULL,
	`server_id` text NOT NULL,
	`at` integer NOT NULL,
	`online` integer NOT NULL,
	`succeeded` integer NOT NULL,
	`refused` integer NOT NULL,
	`failed` integer NOT NULL,
	`unknown` integer NOT NULL,
	`batch_succeeded` integer DEFAULT 0 NOT NULL,
	`batch_refused` integer DEFAULT 0 NOT NULL,
	`batch_failed` integer DEFAULT 0 NOT NULL,
	`batch_unknown` integer DEFAULT 0 NOT NULL,
	`seen` integer NOT NULL,
	PRIMARY KEY(`project_id`, `at`, `server_id`)
);
--> statement-breakpoint
CREATE INDEX `statistics_hours_at` ON `statistics_hours` (`at`);--> statement-breakpoint
ALTER TABLE `statistics` ADD `batch_succeeded` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `statistics` ADD `batch_refused` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `statistics` ADD `batch_failed` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `statistics` ADD `batch_unknown` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `statistics` ADD `seen` integer DEFAULT 1 NOT NULL;