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
ALTER TABLE `commands` ADD `undoes` text;--> statement-breakpoint
ALTER TABLE `commands` ADD `repeats` text;--> statement-breakpoint
CREATE INDEX `commands_undoes` ON `commands` (`project_id`,`undoes`) WHERE undoes is not null;--> statement-breakpoint
ALTER TABLE `players` ADD `job_name` text;--> statement-breakpoint
ALTER TABLE `players` ADD `job_label` text;--> statement-breakpoint
ALTER TABLE `players` ADD `job_grade` integer;--> statement-breakpoint
ALTER TABLE `players` ADD `group_name` text;--> statement-breakpoint
ALTER TABLE `players` ADD `played_minutes` integer;--> statement-breakpoint
ALTER TABLE `players` ADD `game_id` integer;--> statement-breakpoint
ALTER TABLE `shop_lines` ADD `product` text;--> statement-breakpoint
ALTER TABLE `shop_lines` ADD `decision` text;--> statement-breakpoint
ALTER TABLE `shop_lines` ADD `decided_at` integer;--> statement-breakpoint
CREATE INDEX `shop_lines_decided` ON `shop_lines` (`integration_id`,`decided_at`) WHERE decided_at is not null;--> statement-breakpoint
ALTER TABLE `statistics` ADD `batch_succeeded` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `statistics` ADD `batch_refused` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `statistics` ADD `batch_failed` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `statistics` ADD `batch_unknown` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `statistics` ADD `seen` integer DEFAULT 1 NOT NULL;