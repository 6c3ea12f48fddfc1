CREATE TABLE `batches` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`server_id` text NOT NULL,
	`name` text NOT NULL,
	`params` text NOT NULL,
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
ALTER TABLE `commands` ADD `deliver` text;--> statement-breakpoint
ALTER TABLE `commands` ADD `deliver_until` integer;--> statement-breakpoint
ALTER TABLE `commands` ADD `round` integer;--> statement-breakpoint
ALTER TABLE `commands` ADD `batch_id` text;--> statement-breakpoint
CREATE INDEX `commands_waiting` ON `commands` (`project_id`,`server_id`,`target`,`seq`) WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX `commands_waiting_until` ON `commands` (`expires_at`) WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX `commands_batch` ON `commands` (`batch_id`,`seq`,`status`) WHERE batch_id is not null;--> statement-breakpoint
ALTER TABLE `projects` ADD `max_batch_targets` integer DEFAULT 10000 NOT NULL;--> statement-breakpoint
ALTER TABLE `projects` ADD `max_batch_total` integer;--> statement-breakpoint
ALTER TABLE `projects` ADD `max_waiting` integer DEFAULT 50000 NOT NULL;