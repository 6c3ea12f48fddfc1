ALTER TABLE `projects` ADD `own_max_amount` integer;--> statement-breakpoint
ALTER TABLE `projects` ADD `own_max_batch_total` integer;--> statement-breakpoint
ALTER TABLE `projects` ADD `confirm_above` integer DEFAULT 1000000 NOT NULL;--> statement-breakpoint
ALTER TABLE `projects` ADD `reason_for` text;--> statement-breakpoint
ALTER TABLE `projects` ADD `language` text;