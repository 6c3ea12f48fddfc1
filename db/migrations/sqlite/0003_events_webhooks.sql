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
CREATE TABLE `webhook_attempts` (
	`project_id` text NOT NULL,
	`webhook_id` text NOT NULL,
	`event_id` text NOT NULL,
	`event_seq` integer NOT NULL,
	`type` text NOT NULL,
	`state` text NOT NULL,
	`attempts` integer NOT NULL,
	`status` integer,
	`detail` text,
	`answer` text NOT NULL,
	`took_ms` integer NOT NULL,
	`at` integer NOT NULL,
	`due_at` integer,
	PRIMARY KEY(`webhook_id`, `event_id`)
);
--> statement-breakpoint
CREATE INDEX `webhook_attempts_newest` ON `webhook_attempts` (`webhook_id`,`at`,`event_id`);--> statement-breakpoint
CREATE INDEX `webhook_attempts_due` ON `webhook_attempts` (`webhook_id`,`due_at`,`event_seq`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `webhook_attempts_at` ON `webhook_attempts` (`at`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`format` text NOT NULL,
	`url` text NOT NULL,
	`types` text,
	`servers` text,
	`names` integer NOT NULL,
	`secrets` text NOT NULL,
	`maker` text NOT NULL,
	`off` text,
	`off_at` integer,
	`cursor` integer NOT NULL,
	`failures` integer NOT NULL,
	`failing_since` integer,
	`failed_day` integer,
	`failed_days` integer NOT NULL,
	`rest_until` integer,
	`work_node` text,
	`work_until` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `webhooks_project` ON `webhooks` (`project_id`,`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `batches` ADD `outbox` integer;--> statement-breakpoint
CREATE INDEX `batches_owed` ON `batches` (`project_id`,`id`) WHERE outbox > 0;--> statement-breakpoint
ALTER TABLE `commands` ADD `outbox` integer;--> statement-breakpoint
CREATE INDEX `commands_owed` ON `commands` (`project_id`,`seq`) WHERE outbox > 0 and (batch_id is null or outbox > 3);--> statement-breakpoint
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