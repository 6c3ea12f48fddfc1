CREATE TABLE `schedule_looks` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `api_keys` ADD `rate_limit` integer;--> statement-breakpoint
ALTER TABLE `batches` ADD `written_at` integer;--> statement-breakpoint
ALTER TABLE `commands` ADD `crashes` integer;--> statement-breakpoint
ALTER TABLE `commands` ADD `restored_at` integer;--> statement-breakpoint
ALTER TABLE `commands` ADD `bytes` integer;--> statement-breakpoint
UPDATE `commands` SET `bytes` = octet_length(`params`) WHERE `status` = 'waiting';--> statement-breakpoint
DROP INDEX `commands_waiting`;--> statement-breakpoint
CREATE INDEX `commands_waiting` ON `commands` (`project_id`,`server_id`,`target`,`seq`,`bytes`) WHERE status = 'waiting';--> statement-breakpoint
ALTER TABLE `schedules` ADD `next_times` text;--> statement-breakpoint
ALTER TABLE `setup_links` ADD `key_id` text;--> statement-breakpoint
CREATE INDEX `schedule_runs_refused` ON `schedule_runs` (`project_id`,`touched_at`) WHERE status in ('refused', 'missed');--> statement-breakpoint
-- Texts of players are folded in another way: everybody is indexed again, and until then a search looks at each row.
UPDATE `player_indexed` SET `last_id` = 0;
--> statement-breakpoint
INSERT INTO `player_search` (`player_search`) VALUES ('delete-all');
--> statement-breakpoint
INSERT INTO `player_ids` (`player_ids`) VALUES ('delete-all');
--> statement-breakpoint
INSERT INTO `player_links` (`player_links`) VALUES ('delete-all');
--> statement-breakpoint
UPDATE `players` SET `search_marks` = NULL;
