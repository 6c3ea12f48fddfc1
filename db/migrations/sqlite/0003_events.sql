CREATE TABLE `events` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`project_id` text NOT NULL,
	`server_id` text NOT NULL,
	`type` text NOT NULL,
	`subject` text NOT NULL,
	`revision` integer NOT NULL,
	`at` integer NOT NULL,
	`body` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `events_id` ON `events` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `events_told` ON `events` (`project_id`,`type`,`subject`,`revision`);--> statement-breakpoint
CREATE INDEX `events_project` ON `events` (`project_id`,`seq`,`at`);--> statement-breakpoint
CREATE INDEX `events_at` ON `events` (`at`);--> statement-breakpoint
ALTER TABLE `batches` ADD `outbox` integer;--> statement-breakpoint
CREATE INDEX `batches_owed` ON `batches` (`project_id`,`id`) WHERE outbox > 0;--> statement-breakpoint
ALTER TABLE `commands` ADD `outbox` integer;--> statement-breakpoint
CREATE INDEX `commands_owed` ON `commands` (`project_id`,`seq`) WHERE outbox > 0;--> statement-breakpoint
ALTER TABLE `players` ADD `outbox` integer;--> statement-breakpoint
CREATE INDEX `players_owed` ON `players` (`project_id`,`id`) WHERE outbox > 0;--> statement-breakpoint
ALTER TABLE `projects` ADD `keep_events` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `projects` ADD `events_since` integer;--> statement-breakpoint
ALTER TABLE `schedule_runs` ADD `last_planned_at` integer;--> statement-breakpoint
ALTER TABLE `schedule_runs` ADD `outbox` integer;--> statement-breakpoint
CREATE INDEX `schedule_runs_owed` ON `schedule_runs` (`project_id`,`planned_at`) WHERE outbox > 0;--> statement-breakpoint
ALTER TABLE `schedules` ADD `outbox` integer;--> statement-breakpoint
CREATE INDEX `schedules_owed` ON `schedules` (`project_id`,`id`) WHERE outbox % 2 = 1;--> statement-breakpoint
ALTER TABLE `sessions` ADD `outbox` integer;--> statement-breakpoint
CREATE INDEX `sessions_owed` ON `sessions` (`project_id`,`server_id`) WHERE outbox % 2 = 1;--> statement-breakpoint
ALTER TABLE `shop_lines` ADD `outbox` integer;--> statement-breakpoint
CREATE INDEX `shop_lines_owed` ON `shop_lines` (`project_id`,`seq`) WHERE outbox % 2 = 1;