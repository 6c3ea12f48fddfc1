CREATE VIEW `player_texts` AS SELECT `id`, `search_text` || char(10, 10) AS `search_text` FROM `players`;
--> statement-breakpoint
CREATE VIRTUAL TABLE `player_search` USING fts5(`search_text`, content = 'player_texts', content_rowid = 'id', tokenize = 'trigram case_sensitive 1', columnsize = 0);
--> statement-breakpoint
INSERT INTO `player_search` (`player_search`, `rank`) VALUES ('automerge', 8);
--> statement-breakpoint
INSERT INTO `player_search` (`player_search`, `rank`) VALUES ('crisismerge', 64);
--> statement-breakpoint
CREATE VIRTUAL TABLE `player_trigrams` USING fts5vocab(`player_search`, instance);
--> statement-breakpoint
CREATE VIRTUAL TABLE `player_links` USING fts5(`identifiers`, content = 'players', content_rowid = 'id', tokenize = "unicode61 remove_diacritics 0 tokenchars ':_.@-'", columnsize = 0);
--> statement-breakpoint
CREATE TABLE `player_totals` (
	`project_id` text NOT NULL,
	`server_id` text NOT NULL,
	`online` integer NOT NULL,
	`total` integer NOT NULL,
	PRIMARY KEY(`project_id`, `server_id`, `online`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `player_indexed` (
	`last_id` integer NOT NULL
);
--> statement-breakpoint
INSERT INTO `player_indexed` VALUES (0);
--> statement-breakpoint
CREATE TRIGGER `player_indexed_update` AFTER UPDATE ON `player_indexed` BEGIN
	INSERT INTO `player_search` (`rowid`, `search_text`) SELECT `id`, `search_text` || char(10, 10) FROM `players` WHERE `id` > old.`last_id` AND `id` <= new.`last_id` ORDER BY `id`;
	INSERT INTO `player_links` (`rowid`, `identifiers`) SELECT `id`, `identifiers` FROM `players` WHERE `id` > old.`last_id` AND `id` <= new.`last_id` ORDER BY `id`;
END;
--> statement-breakpoint
CREATE TRIGGER `players_insert` AFTER INSERT ON `players` BEGIN
	INSERT INTO `player_totals` VALUES (new.`project_id`, new.`server_id`, new.`online`, 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `players_search_update` AFTER UPDATE OF `search_text` ON `players` WHEN old.`search_text` <> new.`search_text` AND old.`id` <= (SELECT `last_id` FROM `player_indexed`) BEGIN
	INSERT INTO `player_search` (`player_search`, `rowid`, `search_text`) VALUES ('delete', old.`id`, old.`search_text` || char(10, 10));
	INSERT INTO `player_search` (`rowid`, `search_text`) VALUES (new.`id`, new.`search_text` || char(10, 10));
END;
--> statement-breakpoint
CREATE TRIGGER `players_links_update` AFTER UPDATE OF `identifiers` ON `players` WHEN old.`identifiers` <> new.`identifiers` AND old.`id` <= (SELECT `last_id` FROM `player_indexed`) BEGIN
	INSERT INTO `player_links` (`player_links`, `rowid`, `identifiers`) VALUES ('delete', old.`id`, old.`identifiers`);
	INSERT INTO `player_links` (`rowid`, `identifiers`) VALUES (new.`id`, new.`identifiers`);
END;
--> statement-breakpoint
CREATE TRIGGER `players_totals_update` AFTER UPDATE OF `online` ON `players` WHEN old.`online` <> new.`online` BEGIN
	UPDATE `player_totals` SET `total` = `total` - 1 WHERE `project_id` = old.`project_id` AND `server_id` = old.`server_id` AND `online` = old.`online`;
	INSERT INTO `player_totals` VALUES (new.`project_id`, new.`server_id`, new.`online`, 1) ON CONFLICT DO UPDATE SET `total` = `total` + 1;
END;
--> statement-breakpoint
CREATE TRIGGER `players_search_delete` AFTER DELETE ON `players` WHEN old.`id` <= (SELECT `last_id` FROM `player_indexed`) BEGIN
	INSERT INTO `player_search` (`player_search`, `rowid`, `search_text`) VALUES ('delete', old.`id`, old.`search_text` || char(10, 10));
	INSERT INTO `player_links` (`player_links`, `rowid`, `identifiers`) VALUES ('delete', old.`id`, old.`identifiers`);
END;
--> statement-breakpoint
CREATE TRIGGER `players_delete` AFTER DELETE ON `players` BEGIN
	UPDATE `player_totals` SET `total` = `total` - 1 WHERE `project_id` = old.`project_id` AND `server_id` = old.`server_id` AND `online` = old.`online`;
END;
