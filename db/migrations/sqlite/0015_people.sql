ALTER TABLE `players` ADD `gone_at` integer;--> statement-breakpoint
ALTER TABLE `sessions` ADD `missing_since` integer;--> statement-breakpoint
ALTER TABLE `sessions` ADD `missing_players` integer;--> statement-breakpoint
ALTER TABLE `shop_lines` ADD `unbound` text;--> statement-breakpoint
CREATE INDEX `shop_lines_unbound` ON `shop_lines` (`project_id`,`server_id`,`unbound`) WHERE unbound is not null;--> statement-breakpoint
CREATE INDEX `shop_lines_job` ON `shop_lines` (`project_id`,`server_id`,`target`) WHERE name = 'job';--> statement-breakpoint
DROP INDEX `shop_lines_staff`;--> statement-breakpoint
CREATE INDEX `shop_lines_staff` ON `shop_lines` (`integration_id`,`seq`) WHERE (state in ('unmatched', 'refused', 'failed', 'owed') or unbound is not null);--> statement-breakpoint
DROP INDEX `players_online`;--> statement-breakpoint
DROP INDEX `players_name`;--> statement-breakpoint
DROP INDEX `players_server_online`;--> statement-breakpoint
DROP INDEX `players_server_name`;--> statement-breakpoint
CREATE INDEX `players_online` ON `players` (`project_id`,`online`,`last_seen_at`,`id`,`gone_at`);--> statement-breakpoint
CREATE INDEX `players_name` ON `players` (`project_id`,`search_text`,`id`,`gone_at`);--> statement-breakpoint
CREATE INDEX `players_server_online` ON `players` (`project_id`,`server_id`,`online`,`last_seen_at`,`id`,`gone_at`);--> statement-breakpoint
CREATE INDEX `players_server_name` ON `players` (`project_id`,`server_id`,`search_text`,`id`,`gone_at`);
--> statement-breakpoint
DROP TRIGGER `player_indexed_update`;
--> statement-breakpoint
DROP TRIGGER `players_insert`;
--> statement-breakpoint
DROP TRIGGER `players_totals_update`;
--> statement-breakpoint
DROP TRIGGER `players_delete`;
--> statement-breakpoint
DROP TRIGGER `players_search_update`;
--> statement-breakpoint
DROP TRIGGER `players_links_update`;
--> statement-breakpoint
DROP TRIGGER `players_search_delete`;
--> statement-breakpoint
DROP VIEW `player_texts`;
--> statement-breakpoint
-- Players who are gone are in no total and in no search index. Their linked identifiers stay, so that another player can take them.
CREATE VIEW `player_texts` AS SELECT `id`,
	substr(`search_text`, 1, instr(`search_text`, char(10))) || char(10) AS `name`,
	`search_marks` || char(10, 10) AS `marks`,
	`search_plates` || char(10, 10) AS `plates`,
	`identifier` || char(10) || `identifiers` AS `ids`
	FROM `players` WHERE `gone_at` IS NULL;
--> statement-breakpoint
CREATE TRIGGER `players_insert` AFTER INSERT ON `players` WHEN new.`gone_at` IS NULL BEGIN
	INSERT INTO `player_totals` VALUES (new.`project_id`, new.`server_id`, new.`online`, 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `players_totals_update` AFTER UPDATE OF `online`, `gone_at` ON `players` WHEN old.`online` <> new.`online` OR (old.`gone_at` IS NULL) <> (new.`gone_at` IS NULL) BEGIN
	UPDATE `player_totals` SET `total` = `total` - 1 WHERE old.`gone_at` IS NULL AND `project_id` = old.`project_id` AND `server_id` = old.`server_id` AND `online` = old.`online`;
	INSERT INTO `player_totals` SELECT new.`project_id`, new.`server_id`, new.`online`, 1 WHERE new.`gone_at` IS NULL ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `players_delete` AFTER DELETE ON `players` WHEN old.`gone_at` IS NULL BEGIN
	UPDATE `player_totals` SET `total` = `total` - 1 WHERE `project_id` = old.`project_id` AND `server_id` = old.`server_id` AND `online` = old.`online`;
END;
--> statement-breakpoint
CREATE TRIGGER `player_indexed_update` AFTER UPDATE ON `player_indexed` BEGIN
	INSERT INTO `player_search` (`rowid`, `name`, `marks`, `plates`) SELECT `id`, `name`, `marks`, `plates` FROM `player_texts` WHERE `id` > old.`last_id` AND `id` <= new.`last_id` ORDER BY `id`;
	INSERT INTO `player_ids` (`rowid`, `ids`) SELECT `id`, `ids` FROM `player_texts` WHERE `id` > old.`last_id` AND `id` <= new.`last_id` ORDER BY `id`;
	INSERT INTO `player_links` (`rowid`, `identifiers`) SELECT `id`, `identifiers` FROM `players` WHERE `id` > old.`last_id` AND `id` <= new.`last_id` ORDER BY `id`;
END;
--> statement-breakpoint
CREATE TRIGGER `players_search_update` AFTER UPDATE OF `search_text`, `search_marks`, `search_plates`, `gone_at` ON `players` WHEN (old.`search_text` <> new.`search_text` OR old.`search_marks` IS NOT new.`search_marks` OR old.`search_plates` IS NOT new.`search_plates` OR (old.`gone_at` IS NULL) <> (new.`gone_at` IS NULL)) AND old.`id` <= (SELECT `last_id` FROM `player_indexed`) BEGIN
	INSERT INTO `player_search` (`player_search`, `rowid`, `name`, `marks`, `plates`) SELECT 'delete', old.`id`, substr(old.`search_text`, 1, instr(old.`search_text`, char(10))) || char(10), old.`search_marks` || char(10, 10), old.`search_plates` || char(10, 10) WHERE old.`gone_at` IS NULL;
	INSERT INTO `player_search` (`rowid`, `name`, `marks`, `plates`) SELECT new.`id`, substr(new.`search_text`, 1, instr(new.`search_text`, char(10))) || char(10), new.`search_marks` || char(10, 10), new.`search_plates` || char(10, 10) WHERE new.`gone_at` IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `players_links_update` AFTER UPDATE OF `identifiers` ON `players` WHEN old.`identifiers` <> new.`identifiers` AND old.`id` <= (SELECT `last_id` FROM `player_indexed`) BEGIN
	INSERT INTO `player_links` (`player_links`, `rowid`, `identifiers`) VALUES ('delete', old.`id`, old.`identifiers`);
	INSERT INTO `player_links` (`rowid`, `identifiers`) VALUES (new.`id`, new.`identifiers`);
END;
--> statement-breakpoint
CREATE TRIGGER `players_ids_update` AFTER UPDATE OF `identifiers`, `gone_at` ON `players` WHEN (old.`identifiers` <> new.`identifiers` OR (old.`gone_at` IS NULL) <> (new.`gone_at` IS NULL)) AND old.`id` <= (SELECT `last_id` FROM `player_indexed`) BEGIN
	INSERT INTO `player_ids` (`player_ids`, `rowid`, `ids`) SELECT 'delete', old.`id`, old.`identifier` || char(10) || old.`identifiers` WHERE old.`gone_at` IS NULL;
	INSERT INTO `player_ids` (`rowid`, `ids`) SELECT new.`id`, new.`identifier` || char(10) || new.`identifiers` WHERE new.`gone_at` IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `players_links_delete` AFTER DELETE ON `players` WHEN old.`id` <= (SELECT `last_id` FROM `player_indexed`) BEGIN
	INSERT INTO `player_links` (`player_links`, `rowid`, `identifiers`) VALUES ('delete', old.`id`, old.`identifiers`);
END;
--> statement-breakpoint
CREATE TRIGGER `players_search_delete` AFTER DELETE ON `players` WHEN old.`gone_at` IS NULL AND old.`id` <= (SELECT `last_id` FROM `player_indexed`) BEGIN
	INSERT INTO `player_search` (`player_search`, `rowid`, `name`, `marks`, `plates`) VALUES ('delete', old.`id`, substr(old.`search_text`, 1, instr(old.`search_text`, char(10))) || char(10), old.`search_marks` || char(10, 10), old.`search_plates` || char(10, 10));
	INSERT INTO `player_ids` (`player_ids`, `rowid`, `ids`) VALUES ('delete', old.`id`, old.`identifier` || char(10) || old.`identifiers`);
END;
