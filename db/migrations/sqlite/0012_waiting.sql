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
CREATE TABLE `deliveries` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` text NOT NULL,
	`integration_id` text NOT NULL,
	`received_at` integer NOT NULL,
	`type` text NOT NULL,
	`transaction` text,
	`outcome` text NOT NULL,
	`detail` text
);
--> statement-breakpoint
CREATE INDEX `deliveries_integration` ON `deliveries` (`integration_id`,`seq`);--> statement-breakpoint
CREATE TABLE `integrations` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`server_id` text NOT NULL,
	`identifier_kind` text,
	`secrets` text NOT NULL,
	`packages` text NOT NULL,
	`maker` text NOT NULL,
	`max_amount` integer,
	`max_daily` integer,
	`work_node` text,
	`work_until` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE INDEX `integrations_project` ON `integrations` (`project_id`,`created_at`,`id`);--> statement-breakpoint
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
CREATE TABLE `shop_lines` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`project_id` text NOT NULL,
	`integration_id` text NOT NULL,
	`transaction` text NOT NULL,
	`package` text NOT NULL,
	`number` integer NOT NULL,
	`step` integer NOT NULL,
	`server_id` text NOT NULL,
	`name` text,
	`params` text,
	`buyer` text,
	`target` text,
	`state` text NOT NULL,
	`reason` text,
	`detail` text,
	`command_id` text,
	`opposite_id` text,
	`attempt` integer NOT NULL,
	`amount` integer NOT NULL,
	`due_at` integer,
	`expires_at` integer NOT NULL,
	`placed_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `shop_lines_id` ON `shop_lines` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `shop_lines_line` ON `shop_lines` (`integration_id`,`transaction`,`package`,`number`,`step`);--> statement-breakpoint
CREATE INDEX `shop_lines_due` ON `shop_lines` (`due_at`,`integration_id`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `shop_lines_staff` ON `shop_lines` (`integration_id`,`seq`) WHERE state in ('unmatched', 'refused', 'failed', 'owed');--> statement-breakpoint
CREATE INDEX `shop_lines_command` ON `shop_lines` (`command_id`) WHERE command_id is not null;--> statement-breakpoint
CREATE INDEX `shop_lines_opposite` ON `shop_lines` (`opposite_id`) WHERE opposite_id is not null;--> statement-breakpoint
CREATE INDEX `shop_lines_paid` ON `shop_lines` (`integration_id`,`placed_at`) WHERE amount > 0 and placed_at is not null;--> statement-breakpoint
CREATE TABLE `shop_orders` (
	`project_id` text NOT NULL,
	`integration_id` text NOT NULL,
	`transaction` text NOT NULL,
	`plan` text,
	`server_id` text NOT NULL,
	`paid` text,
	`request_id` text NOT NULL,
	`is_open` integer NOT NULL,
	`created_at` integer NOT NULL,
	`paid_at` integer,
	`refunded_at` integer,
	`dispute` text,
	PRIMARY KEY(`integration_id`, `transaction`)
);
--> statement-breakpoint
CREATE INDEX `shop_orders_open` ON `shop_orders` (`integration_id`,`created_at`) WHERE is_open;--> statement-breakpoint
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