ALTER TABLE `players` ADD `job_name` text;--> statement-breakpoint
ALTER TABLE `players` ADD `job_label` text;--> statement-breakpoint
ALTER TABLE `players` ADD `job_grade` integer;--> statement-breakpoint
ALTER TABLE `players` ADD `group_name` text;--> statement-breakpoint
ALTER TABLE `players` ADD `played_minutes` integer;--> statement-breakpoint
ALTER TABLE `players` ADD `game_id` integer;