ALTER TABLE `webhook_attempts` ADD `events` integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `name` text;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `fault` text;