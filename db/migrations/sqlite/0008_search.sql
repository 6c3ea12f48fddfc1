ALTER TABLE `players` ADD `search_marks` text;--> statement-breakpoint
ALTER TABLE `players` ADD `search_plates` text;--> statement-breakpoint
CREATE INDEX `players_unsearched` ON `players` (`id`) WHERE search_marks is null;--> statement-breakpoint
DROP TRIGGER `player_indexed_update`;
--> statement-breakpoint
DROP TRIGGER `players_search_update`;
--> statement-breakpoint
DROP TRIGGER `players_links_update`;
--> statement-breakpoint
DROP TRIGGER `players_search_delete`;
--> statement-breakpoint
DROP TABLE `player_trigrams`;
--> statement-breakpoint
DROP TABLE `player_search`;
--> statement-breakpoint
DROP TABLE `player_links`;
--> statement-breakpoint
DROP VIEW `player_texts`;
--> statement-breakpoint
-- Two line feeds end each text, so that each of its characters begins a trigram.
CREATE VIEW `player_texts` AS SELECT `id`,
	substr(`search_text`, 1, instr(`search_text`, char(10))) || char(10) AS `name`,
	`search_marks` || char(10, 10) AS `marks`,
	`search_plates` || char(10, 10) AS `plates`,
	`identifier` || char(10) || `identifiers` AS `ids`
	FROM `players`;
--> statement-breakpoint
CREATE VIRTUAL TABLE `player_search` USING fts5(`name`, `marks`, `plates`, content = 'player_texts', content_rowid = 'id', tokenize = 'trigram case_sensitive 1', columnsize = 0);
--> statement-breakpoint
INSERT INTO `player_search` (`player_search`, `rank`) VALUES ('automerge', 8);
--> statement-breakpoint
INSERT INTO `player_search` (`player_search`, `rank`) VALUES ('crisismerge', 64);
--> statement-breakpoint
CREATE VIRTUAL TABLE `player_trigrams` USING fts5vocab(`player_search`, instance);
--> statement-breakpoint
-- Own and linked identifiers. Without positions it is a fifth of the size; the hub looks at each candidate's row.
CREATE VIRTUAL TABLE `player_ids` USING fts5(`ids`, content = 'player_texts', content_rowid = 'id', tokenize = 'trigram', detail = none, columnsize = 0);
--> statement-breakpoint
INSERT INTO `player_ids` (`player_ids`, `rank`) VALUES ('automerge', 8);
--> statement-breakpoint
INSERT INTO `player_ids` (`player_ids`, `rank`) VALUES ('crisismerge', 64);
--> statement-breakpoint
CREATE VIRTUAL TABLE `player_links` USING fts5(`identifiers`, content = 'players', content_rowid = 'id', tokenize = "unicode61 remove_diacritics 0 tokenchars ':_.@-'", columnsize = 0);
--> statement-breakpoint
-- Everybody is indexed again; until then a search looks at each row.
UPDATE `player_indexed` SET `last_id` = 0;
--> statement-breakpoint
CREATE TRIGGER `player_indexed_update` AFTER UPDATE ON `player_indexed` BEGIN
	INSERT INTO `player_search` (`rowid`, `name`, `marks`, `plates`) SELECT `id`, `name`, `marks`, `plates` FROM `player_texts` WHERE `id` > old.`last_id` AND `id` <= new.`last_id` ORDER BY `id`;
	INSERT INTO `player_ids` (`rowid`, `ids`) SELECT `id`, `ids` FROM `player_texts` WHERE `id` > old.`last_id` AND `id` <= new.`last_id` ORDER BY `id`;
	INSERT INTO `player_links` (`rowid`, `identifiers`) SELECT `id`, `identifiers` FROM `players` WHERE `id` > old.`last_id` AND `id` <= new.`last_id` ORDER BY `id`;
END;
--> statement-breakpoint
CREATE TRIGGER `players_search_update` AFTER UPDATE OF `search_text`, `search_marks`, `search_plates` ON `players` WHEN (old.`search_text` <> new.`search_text` OR old.`search_marks` IS NOT new.`search_marks` OR old.`search_plates` IS NOT new.`search_plates`) AND old.`id` <= (SELECT `last_id` FROM `player_indexed`) BEGIN
	INSERT INTO `player_search` (`player_search`, `rowid`, `name`, `marks`, `plates`) VALUES ('delete', old.`id`, substr(old.`search_text`, 1, instr(old.`search_text`, char(10))) || char(10), old.`search_marks` || char(10, 10), old.`search_plates` || char(10, 10));
	INSERT INTO `player_search` (`rowid`, `name`, `marks`, `plates`) VALUES (new.`id`, substr(new.`search_text`, 1, instr(new.`search_text`, char(10))) || char(10), new.`search_marks` || char(10, 10), new.`search_plates` || char(10, 10));
END;
--> statement-breakpoint
CREATE TRIGGER `players_links_update` AFTER UPDATE OF `identifiers` ON `players` WHEN old.`identifiers` <> new.`identifiers` AND old.`id` <= (SELECT `last_id` FROM `player_indexed`) BEGIN
	INSERT INTO `player_links` (`player_links`, `rowid`, `identifiers`) VALUES ('delete', old.`id`, old.`identifiers`);
	INSERT INTO `player_links` (`rowid`, `identifiers`) VALUES (new.`id`, new.`identifiers`);
	INSERT INTO `player_ids` (`player_ids`, `rowid`, `ids`) VALUES ('delete', old.`id`, old.`identifier` || char(10) || old.`identifiers`);
	INSERT INTO `player_ids` (`rowid`, `ids`) VALUES (new.`id`, new.`identifier` || char(10) || new.`identifiers`);
END;
--> statement-breakpoint
CREATE TRIGGER `players_search_delete` AFTER DELETE ON `players` WHEN old.`id` <= (SELECT `last_id` FROM `player_indexed`) BEGIN
	INSERT INTO `player_search` (`player_search`, `rowid`, `name`, `marks`, `plates`) VALUES ('delete', old.`id`, substr(old.`search_text`, 1, instr(old.`search_text`, char(10))) || char(10), old.`search_marks` || char(10, 10), old.`search_plates` || char(10, 10));
	INSERT INTO `player_links` (`player_links`, `rowid`, `identifiers`) VALUES ('delete', old.`id`, old.`identifiers`);
	INSERT INTO `player_ids` (`player_ids`, `rowid`, `ids`) VALUES ('delete', old.`id`, old.`identifier` || char(10) || old.`identifiers`);
END;
