ALTER TABLE `players` ADD `job_name` text;--> statement-breakpoint
ALTER TABLE `players` ADD `job_label` text;--> statement-breakpoint
ALTER TABLE `players` ADD `job_grade` integer;--> statement-breakpoint
ALTER TABLE `players` ADD `group_name` text;--> statement-breakpoint
ALTER TABLE `players` ADD `played_minutes` integer;--> statement-breakpoint
ALTER TABLE `players` ADD `game_id` integer;--> statement-breakpoint
CREATE INDEX `players_game_id` ON `players` (`project_id`,`game_id`) WHERE game_id is not null;