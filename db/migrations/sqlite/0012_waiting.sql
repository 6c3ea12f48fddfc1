ALTER TABLE `commands` ADD `deliver` text;--> statement-breakpoint
ALTER TABLE `commands` ADD `deliver_until` integer;--> statement-breakpoint
ALTER TABLE `commands` ADD `round` integer;--> statement-breakpoint
CREATE INDEX `commands_waiting` ON `commands` (`project_id`,`server_id`,`target`,`seq`) WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX `commands_waiting_until` ON `commands` (`expires_at`) WHERE status = 'waiting';--> statement-breakpoint
ALTER TABLE `projects` ADD `max_waiting` integer DEFAULT 50000 NOT NULL;