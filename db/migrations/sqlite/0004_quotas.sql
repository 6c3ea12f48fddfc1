ALTER TABLE `projects` ADD `max_servers` integer DEFAULT 100 NOT NULL;--> statement-breakpoint
ALTER TABLE `projects` ADD `max_keys` integer DEFAULT 1000 NOT NULL;