ALTER TABLE `shop_lines` ADD `product` text;--> statement-breakpoint
ALTER TABLE `shop_lines` ADD `decision` text;--> statement-breakpoint
ALTER TABLE `shop_lines` ADD `decided_at` integer;--> statement-breakpoint
CREATE INDEX `shop_lines_decided` ON `shop_lines` (`integration_id`,`decided_at`) WHERE decided_at is not null;