DROP TRIGGER `player_indexed_update`;
--> statement-breakpoint
DROP TRIGGER `players_search_update`;
--> statement-breakpoint
DROP TRIGGER `players_ids_update`;
--> statement-breakpoint
DROP TRIGGER `players_search_delete`;
--> statement-breakpoint
DROP TABLE `player_trigrams`;
--> statement-breakpoint
DROP TABLE `player_search`;
--> statement-breakpoint
DROP TABLE `player_ids`;
--> statement-breakpoint
DROP VIEW `player_texts`;
--> statement-breakpoint
-- All text that is searched of a player. Players who are gone are in no total and in no search index. Their linked
-- identifiers stay, so that another player can take them.
CREATE VIEW `player_texts` AS SELECT `id`, `search_text` || char(10) || coalesce(`search_marks`, '') || char(10) || `identifier` || char(10) || `identifiers` || char(10) || coalesce(`search_plates`, '') AS `text`
	FROM `players` WHERE `gone_at` IS NULL;
--> statement-breakpoint
-- Without positions it is a fifth of the size; a search looks at each candidate's row.
CREATE VIRTUAL TABLE `player_search` USING fts5(`text`, content = 'player_texts', content_rowid = 'id', tokenize = 'trigram', detail = none, columnsize = 0);
--> statement-breakpoint
INSERT INTO `player_search` (`player_search`, `rank`) VALUES ('automerge', 8);
--> statement-breakpoint
INSERT INTO `player_search` (`player_search`, `rank`) VALUES ('crisismerge', 64);
--> statement-breakpoint
-- Everybody is indexed again; until then a search looks at each row.
INSERT INTO `player_links` (`player_links`) VALUES ('delete-all');
--> statement-breakpoint
UPDATE `player_indexed` SET `last_id` = 0;
--> statement-breakpoint
CREATE TRIGGER `player_indexed_update` AFTER UPDATE ON `player_indexed` BEGIN
	INSERT INTO `player_search` (`rowid`, `text`) SELECT `id`, `text` FROM `player_texts` WHERE `id` > old.`last_id` AND `id` <= new.`last_id` ORDER BY `id`;
	INSERT INTO `player_links` (`rowid`, `identifiers`) SELECT `id`, `identifiers` FROM `players` WHERE `id` > old.`last_id` AND `id` <= new.`last_id` ORDER BY `id`;
END;
--> statement-breakpoint
CREATE TRIGGER `players_search_update` AFTER UPDATE OF `search_text`, `search_marks`, `identifiers`, `search_plates`, `gone_at` ON `players` WHEN (old.`search_text` <> new.`search_text` OR old.`search_marks` IS NOT new.`search_marks` OR old.`identifiers` <> new.`identifiers` OR old.`search_plates` IS NOT new.`search_plates` OR (old.`gone_at` IS NULL) <> (new.`gone_at` IS NULL)) AND old.`id` <= (SELECT `last_id` FROM `player_indexed`) BEGIN
	INSERT INTO `player_search` (`player_search`, `rowid`, `text`) SELECT 'delete', old.`id`, old.`search_text` || char(10) || coalesce(old.`search_marks`, '') || char(10) || old.`identifier` || char(10) || old.`identifiers` || char(10) || coalesce(old.`search_plates`, '') WHERE old.`gone_at` IS NULL;
	INSERT INTO `player_search` (`rowid`, `text`) SELECT new.`id`, new.`search_text` || char(10) || coalesce(new.`search_marks`, '') || char(10) || new.`identifier` || char(10) || new.`identifiers` || char(10) || coalesce(new.`search_plates`, '') WHERE new.`gone_at` IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `players_search_delete` AFTER DELETE ON `players` WHEN old.`gone_at` IS NULL AND old.`id` <= (SELECT `last_id` FROM `player_indexed`) BEGIN
	INSERT INTO `player_search` (`player_search`, `rowid`, `text`) VALUES ('delete', old.`id`, old.`search_text` || char(10) || coalesce(old.`search_marks`, '') || char(10) || old.`identifier` || char(10) || old.`identifiers` || char(10) || coalesce(old.`search_plates`, ''));
END;
