CREATE TABLE `batches` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`server_id` text NOT NULL,
	`name` text NOT NULL,
	`params` text NOT NULL,
	`roles` text,
	`label` text,
	`fingerprint` text NOT NULL,
	`idempotency_key` text NOT NULL,
	`actor` text NOT NULL,
	`request_id` text NOT NULL,
	`deliver` text NOT NULL,
	`abort` text,
	`status` text NOT NULL,
	`ended_by` text,
	`total` integer NOT NULL,
	`duplicates` integer NOT NULL,
	`written` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`touched_at` integer NOT NULL,
	`settled_at` integer,
	`targets` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `batches_idempotency_key` ON `batches` (`project_id`,`idempotency_key`);--> statement-breakpoint
CREATE INDEX `batches_project` ON `batches` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `batches_open` ON `batches` (`touched_at`) WHERE status <> 'settled';--> statement-breakpoint
CREATE TABLE `schedule_runs` (
	`schedule_id` text NOT NULL,
	`planned_at` integer NOT NULL,
	`project_id` text NOT NULL,
	`status` text NOT NULL,
	`made_id` text,
	`error` text,
	`touched_at` integer NOT NULL,
	PRIMARY KEY(`schedule_id`, `planned_at`)
);
--> statement-breakpoint
CREATE INDEX `schedule_runs_open` ON `schedule_runs` (`touched_at`) WHERE status = 'started';--> statement-breakpoint
CREATE TABLE `schedules` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`server_id` text NOT NULL,
	`label` text NOT NULL,
	`task` text NOT NULL,
	`runs_when` text NOT NULL,
	`missed` text NOT NULL,
	`key_id` text NOT NULL,
	`actor` text NOT NULL,
	`paused` integer NOT NULL,
	`paused_by` text,
	`next_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `schedules_project` ON `schedules` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `schedules_next` ON `schedules` (`next_at`) WHERE next_at is not null and not paused;--> statement-breakpoint
ALTER TABLE `commands` ADD `deliver` text;--> statement-breakpoint
ALTER TABLE `commands` ADD `deliver_until` integer;--> statement-breakpoint
ALTER TABLE `commands` ADD `round` integer;--> statement-breakpoint
ALTER TABLE `commands` ADD `batch_id` text;--> statement-breakpoint
ALTER TABLE `commands` ADD `roles` text;--> statement-breakpoint
CREATE INDEX `commands_waiting` ON `commands` (`project_id`,`server_id`,`target`,`seq`) WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX `commands_waiting_until` ON `commands` (`expires_at`) WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX `commands_batch` ON `commands` (`batch_id`,`seq`,`status`) WHERE batch_id is not null;--> statement-breakpoint
ALTER TABLE `projects` ADD `max_batch_targets` integer DEFAULT 10000 NOT NULL;--> statement-breakpoint
ALTER TABLE `projects` ADD `max_batch_total` integer;--> statement-breakpoint
ALTER TABLE `projects` ADD `max_waiting` integer DEFAULT 50000 NOT NULL;