CREATE VIRTUAL TABLE `player_search` USING fts5(`search_text`, content = 'players', content_rowid = 'id', tokenize = 'trigram case_sensitive 1', columnsize = 0);
--> statement-breakpoint
INSERT INTO `player_search` (`player_search`, `rank`) VALUES ('automerge', 8);
--> statement-breakpoint
INSERT INTO `player_search` (`player_search`, `rank`) VALUES ('crisismerge', 64);
--> statement-breakpoint
CREATE TRIGGER `players_search_insert` AFTER INSERT ON `players` BEGIN
	INSERT INTO `player_search` (`rowid`, `search_text`) VALUES (new.`id`, new.`search_text`);
END;
--> statement-breakpoint
CREATE TRIGGER `players_search_update` AFTER UPDATE OF `search_text` ON `players` WHEN old.`search_text` <> new.`search_text` BEGIN
	INSERT INTO `player_search` (`player_search`, `rowid`, `search_text`) VALUES ('delete', old.`id`, old.`search_text`);
	INSERT INTO `player_search` (`rowid`, `search_text`) VALUES (new.`id`, new.`search_text`);
END;
--> statement-breakpoint
CREATE TRIGGER `players_search_delete` AFTER DELETE ON `players` BEGIN
	INSERT INTO `player_search` (`player_search`, `rowid`, `search_text`) VALUES ('delete', old.`id`, old.`search_text`);
END;
--> statement-breakpoint
CREATE TRIGGER `players_identifiers_insert` AFTER INSERT ON `players` BEGIN
	INSERT INTO `player_identifiers` (`project_id`, `value`, `player_id`) SELECT DISTINCT new.`project_id`, `value`, new.`id` FROM json_each(new.`identifiers`);
END;
--> statement-breakpoint
CREATE TRIGGER `players_identifiers_update` AFTER UPDATE OF `identifiers` ON `players` WHEN old.`identifiers` <> new.`identifiers` BEGIN
	DELETE FROM `player_identifiers` WHERE `player_id` = old.`id`;
	INSERT INTO `player_identifiers` (`project_id`, `value`, `player_id`) SELECT DISTINCT new.`project_id`, `value`, new.`id` FROM json_each(new.`identifiers`);
END;
