ALTER TABLE `players` ADD `gone_at` integer;--> statement-breakpoint
ALTER TABLE `sessions` ADD `missing_since` integer;--> statement-breakpoint
ALTER TABLE `sessions` ADD `missing_players` integer;--> statement-breakpoint
ALTER TABLE `shop_lines` ADD `unbound` text;--> statement-breakpoint
CREATE INDEX `shop_lines_unbound` ON `shop_lines` (`project_id`,`server_id`,`unbound`) WHERE unbound is not null;--> statement-breakpoint
CREATE INDEX `shop_lines_job` ON `shop_lines` (`project_id`,`server_id`,`target`) WHERE name = 'job';--> statement-breakpoint
DROP INDEX `shop_lines_staff`;--> statement-breakpoint
CREATE INDEX `shop_lines_staff` ON `shop_lines` (`integration_id`,`seq`) WHERE (state in ('unmatched', 'refused', 'failed', 'owed') or unbound is not null);