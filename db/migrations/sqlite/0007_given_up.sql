ALTER TABLE `commands` ADD `journal_id` text;--> statement-breakpoint
ALTER TABLE `servers` ADD `deleting_at` integer;