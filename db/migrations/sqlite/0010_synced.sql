ALTER TABLE `players` ADD `content_hash` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `players_synced_at` integer;