ALTER TABLE `stray_results` ADD `lost_since` integer;--> statement-breakpoint
CREATE INDEX `stray_results_lost` ON `stray_results` (`project_id`,`server_id`) WHERE lost_since is not null;