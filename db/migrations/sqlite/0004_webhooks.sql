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
CREATE INDEX `webhooks_project` ON `webhooks` (`project_id`,`created_at`,`id`);