ALTER TABLE `commands` ADD `unbound` text;--> statement-breakpoint
CREATE INDEX `commands_unbound` ON `commands` (`project_id`,`server_id`,`unbound`) WHERE unbound is not null;--> statement-breakpoint
ALTER TABLE `players` ADD `gone_at` integer;--> statement-breakpoint
ALTER TABLE `sessions` ADD `missing_since` integer;--> statement-breakpoint
ALTER TABLE `sessions` ADD `missing_players` integer;--> statement-breakpoint
ALTER TABLE `shop_lines` ADD `unbound` text;--> statement-breakpoint
CREATE INDEX `shop_lines_unbound` ON `shop_lines` (`project_id`,`server_id`,`unbound`) WHERE unbound is not null;