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
CREATE INDEX `shop_orders_open` ON `shop_orders` (`integration_id`,`created_at`) WHERE is_open;