CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`scopes` text NOT NULL,
	`servers` text,
	`max_batch_targets` integer,
	`max_batch_total` integer,
	`prefix` text NOT NULL,
	`hash` text NOT NULL,
	`previous_hash` text,
	`previous_expires_at` integer,
	`rate_limit` integer,
	`created_by` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`expires_at` integer,
	`revoked_at` integer,
	`last_used_at` integer,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `api_keys_previous_hash` ON `api_keys` (`previous_hash`);--> statement-breakpoint
CREATE INDEX `api_keys_project` ON `api_keys` (`project_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `api_keys_updated` ON `api_keys` (`updated_at`);--> statement-breakpoint
CREATE TABLE `batches` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`server_id` text NOT NULL,
	`name` text NOT NULL,
	`params` text NOT NULL,
	`roles` text,
	`label` text,
	`fingerprint` text NOT NULL,
	`idempotency_key` text NOT NULL,
	`actor` text NOT NULL,
	`request_id` text NOT NULL,
	`deliver` text NOT NULL,
	`abort` text,
	`status` text NOT NULL,
	`ended_by` text,
	`total` integer NOT NULL,
	`duplicates` integer NOT NULL,
	`written` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`touched_at` integer NOT NULL,
	`written_at` integer,
	`settled_at` integer,
	`targets` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `batches_idempotency_key` ON `batches` (`project_id`,`idempotency_key`);--> statement-breakpoint
CREATE INDEX `batches_project` ON `batches` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `batches_open` ON `batches` (`touched_at`) WHERE status <> 'settled';--> statement-breakpoint
CREATE TABLE `catalogues` (
	`project_id` text NOT NULL,
	`server_id` text NOT NULL,
	`kind` text NOT NULL,
	`hash` text NOT NULL,
	`synced_at` integer NOT NULL,
	`entries` text NOT NULL,
	PRIMARY KEY(`project_id`, `server_id`, `kind`)
);
--> statement-breakpoint
CREATE TABLE `commands` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`project_id` text NOT NULL,
	`server_id` text NOT NULL,
	`name` text NOT NULL,
	`class` text NOT NULL,
	`target` text,
	`params` text NOT NULL,
	`fingerprint` text NOT NULL,
	`status` text NOT NULL,
	`idempotency_key` text,
	`actor` text NOT NULL,
	`request_id` text NOT NULL,
	`attempts` integer NOT NULL,
	`epoch` integer,
	`session_id` text,
	`void_requested` integer NOT NULL,
	`result` text,
	`error` text,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`dispatched_at` integer,
	`settled_at` integer,
	`resolution` text,
	`journal_id` text,
	`deliver` text,
	`deliver_until` integer,
	`round` integer,
	`batch_id` text,
	`bytes` integer,
	`crashes` integer,
	`not_before` integer,
	`restored_at` integer,
	`roles` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `commands_id` ON `commands` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `commands_idempotency_key` ON `commands` (`project_id`,`idempotency_key`) WHERE idempotency_key is not null;--> statement-breakpoint
CREATE INDEX `commands_project` ON `commands` (`project_id`,`seq`);--> statement-breakpoint
CREATE INDEX `commands_created` ON `commands` (`project_id`,`created_at`,`seq`);--> statement-breakpoint
CREATE INDEX `commands_dispatched` ON `commands` (`project_id`,`server_id`,`seq`) WHERE status = 'dispatched';--> statement-breakpoint
CREATE INDEX `commands_accepted` ON `commands` (`project_id`,`expires_at`) WHERE status = 'accepted';--> statement-breakpoint
CREATE INDEX `commands_waiting` ON `commands` (`project_id`,`server_id`,`target`,`deliver`,`seq`,`bytes`) WHERE status = 'waiting';--> statement-breakpoint
CREATE UNIQUE INDEX `commands_round` ON `commands` (`project_id`,`server_id`,`target`,`deliver`) WHERE status in ('accepted', 'dispatched') and deliver is not null and error is null;--> statement-breakpoint
CREATE UNIQUE INDEX `commands_round_untargeted` ON `commands` (`project_id`,`server_id`,`deliver`) WHERE status in ('accepted', 'dispatched') and deliver is not null and error is null and target is null;--> statement-breakpoint
CREATE INDEX `commands_waiting_until` ON `commands` (`expires_at`) WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX `commands_batch` ON `commands` (`batch_id`,`seq`,`status`) WHERE batch_id is not null;--> statement-breakpoint
CREATE INDEX `commands_indeterminate` ON `commands` (`project_id`,`seq`) WHERE status = 'indeterminate';--> statement-breakpoint
CREATE INDEX `commands_keyed` ON `commands` (`settled_at`) WHERE idempotency_key is not null and settled_at is not null;--> statement-breakpoint
CREATE TABLE `deliveries` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` text NOT NULL,
	`integration_id` text NOT NULL,
	`received_at` integer NOT NULL,
	`type` text NOT NULL,
	`transaction` text,
	`outcome` text NOT NULL,
	`detail` text
);
--> statement-breakpoint
CREATE INDEX `deliveries_integration` ON `deliveries` (`integration_id`,`seq`);--> statement-breakpoint
CREATE TABLE `integrations` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`server_id` text NOT NULL,
	`identifier_kind` text,
	`secrets` text NOT NULL,
	`packages` text NOT NULL,
	`maker` text NOT NULL,
	`max_amount` integer,
	`max_daily` integer,
	`work_node` text,
	`work_until` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`deleted_at` integer
);
--> statement-breakpoint
CREATE INDEX `integrations_project` ON `integrations` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `nodes` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`host` text NOT NULL,
	`pid` integer NOT NULL,
	`bus` text NOT NULL,
	`started_at` integer NOT NULL,
	`lease_ends_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `panel_sessions` (
	`hash` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`key_id` text NOT NULL,
	`key_hash` text NOT NULL,
	`created_at` integer NOT NULL,
	`last_used_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `panel_sessions_project` ON `panel_sessions` (`project_id`);--> statement-breakpoint
CREATE INDEX `panel_sessions_key` ON `panel_sessions` (`key_id`,`last_used_at`);--> statement-breakpoint
CREATE INDEX `panel_sessions_last_used` ON `panel_sessions` (`last_used_at`);--> statement-breakpoint
CREATE TABLE `players` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`project_id` text NOT NULL,
	`server_id` text NOT NULL,
	`identifier` text NOT NULL,
	`name` text NOT NULL,
	`search_text` text NOT NULL,
	`online` integer NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`synced_at` integer NOT NULL,
	`identifiers` text NOT NULL,
	`accounts` text NOT NULL,
	`inventory` text NOT NULL,
	`vehicles` text NOT NULL,
	`metadata` text NOT NULL,
	`search_marks` text,
	`search_plates` text,
	`content_hash` text,
	`gone_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `players_identifier` ON `players` (`project_id`,`identifier`,`server_id`);--> statement-breakpoint
CREATE INDEX `players_online` ON `players` (`project_id`,`online`,`last_seen_at`,`id`,`gone_at`);--> statement-breakpoint
CREATE INDEX `players_name` ON `players` (`project_id`,`search_text`,`id`,`gone_at`);--> statement-breakpoint
CREATE INDEX `players_server_online` ON `players` (`project_id`,`server_id`,`online`,`last_seen_at`,`id`,`gone_at`);--> statement-breakpoint
CREATE INDEX `players_server_name` ON `players` (`project_id`,`server_id`,`search_text`,`id`,`gone_at`);--> statement-breakpoint
CREATE INDEX `players_unsearched` ON `players` (`id`) WHERE search_marks is null;--> statement-breakpoint
CREATE TABLE `projects` (
	`id` text PRIMARY KEY NOT NULL,
	`slug` text NOT NULL,
	`name` text NOT NULL,
	`rate_limit` integer DEFAULT 100 NOT NULL,
	`max_amount` integer,
	`max_servers` integer DEFAULT 100 NOT NULL,
	`max_keys` integer DEFAULT 1000 NOT NULL,
	`max_batch_targets` integer DEFAULT 10000 NOT NULL,
	`max_batch_total` integer,
	`max_waiting` integer DEFAULT 50000 NOT NULL,
	`allow_volatile` integer DEFAULT false NOT NULL,
	`disabled` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_slug` ON `projects` (`slug`);--> statement-breakpoint
CREATE INDEX `projects_updated` ON `projects` (`updated_at`);--> statement-breakpoint
CREATE TABLE `schedule_looks` (
	`id` text PRIMARY KEY NOT NULL,
	`at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `schedule_runs` (
	`schedule_id` text NOT NULL,
	`planned_at` integer NOT NULL,
	`project_id` text NOT NULL,
	`status` text NOT NULL,
	`made_id` text,
	`error` text,
	`touched_at` integer NOT NULL,
	PRIMARY KEY(`schedule_id`, `planned_at`)
);
--> statement-breakpoint
CREATE INDEX `schedule_runs_open` ON `schedule_runs` (`touched_at`) WHERE status = 'started';--> statement-breakpoint
CREATE INDEX `schedule_runs_refused` ON `schedule_runs` (`project_id`,`touched_at`) WHERE status in ('refused', 'missed');--> statement-breakpoint
CREATE TABLE `schedules` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`server_id` text NOT NULL,
	`label` text NOT NULL,
	`task` text NOT NULL,
	`runs_when` text NOT NULL,
	`missed` text NOT NULL,
	`key_id` text NOT NULL,
	`actor` text NOT NULL,
	`paused` integer NOT NULL,
	`paused_by` text,
	`next_at` integer,
	`next_times` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `schedules_project` ON `schedules` (`project_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `schedules_next` ON `schedules` (`next_at`) WHERE next_at is not null and not paused;--> statement-breakpoint
CREATE TABLE `servers` (
	`project_id` text NOT NULL,
	`id` text NOT NULL,
	`name` text NOT NULL,
	`disabled` integer DEFAULT false NOT NULL,
	`token_prefix` text NOT NULL,
	`token_hash` text NOT NULL,
	`previous_token_hash` text,
	`previous_token_expires_at` integer,
	`journal_id` text,
	`journal_sequence` integer,
	`journal_instance` text,
	`deleting_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `id`),
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `servers_token_hash` ON `servers` (`token_hash`);--> statement-breakpoint
CREATE INDEX `servers_previous_token_hash` ON `servers` (`previous_token_hash`);--> statement-breakpoint
CREATE INDEX `servers_updated` ON `servers` (`updated_at`);--> statement-breakpoint
CREATE TABLE `sessions` (
	`project_id` text NOT NULL,
	`server_id` text NOT NULL,
	`id` text NOT NULL,
	`node` text NOT NULL,
	`epoch` integer NOT NULL,
	`instance` text NOT NULL,
	`connected` integer NOT NULL,
	`software` text NOT NULL,
	`commands` text NOT NULL,
	`accounts` text NOT NULL,
	`journal_class` text NOT NULL,
	`classes` text,
	`connected_at` integer NOT NULL,
	`disconnected_at` integer,
	`close_code` integer,
	`players_synced_at` integer,
	`missing_since` integer,
	`missing_players` integer,
	PRIMARY KEY(`project_id`, `server_id`)
);
--> statement-breakpoint
CREATE INDEX `sessions_node` ON `sessions` (`node`,`project_id`,`server_id`) WHERE connected;--> statement-breakpoint
CREATE TABLE `setup_links` (
	`hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL,
	`browser_hash` text,
	`browser_expires_at` integer,
	`key_id` text
);
--> statement-breakpoint
CREATE TABLE `shop_lines` (
	`seq` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`project_id` text NOT NULL,
	`integration_id` text NOT NULL,
	`transaction` text NOT NULL,
	`package` text NOT NULL,
	`number` integer NOT NULL,
	`step` integer NOT NULL,
	`server_id` text NOT NULL,
	`name` text,
	`params` text,
	`buyer` text,
	`target` text,
	`unbound` text,
	`state` text NOT NULL,
	`reason` text,
	`detail` text,
	`command_id` text,
	`opposite_id` text,
	`attempt` integer NOT NULL,
	`amount` integer NOT NULL,
	`due_at` integer,
	`expires_at` integer NOT NULL,
	`placed_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `shop_lines_id` ON `shop_lines` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `shop_lines_line` ON `shop_lines` (`integration_id`,`transaction`,`package`,`number`,`step`);--> statement-breakpoint
CREATE INDEX `shop_lines_due` ON `shop_lines` (`due_at`,`integration_id`) WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX `shop_lines_staff` ON `shop_lines` (`integration_id`,`seq`) WHERE (state in ('unmatched', 'refused', 'failed', 'owed') or unbound is not null);--> statement-breakpoint
CREATE INDEX `shop_lines_unbound` ON `shop_lines` (`project_id`,`server_id`,`unbound`) WHERE unbound is not null;--> statement-breakpoint
CREATE INDEX `shop_lines_job` ON `shop_lines` (`project_id`,`server_id`,`target`) WHERE name = 'job';--> statement-breakpoint
CREATE INDEX `shop_lines_command` ON `shop_lines` (`command_id`) WHERE command_id is not null;--> statement-breakpoint
CREATE INDEX `shop_lines_opposite` ON `shop_lines` (`opposite_id`) WHERE opposite_id is not null;--> statement-breakpoint
CREATE INDEX `shop_lines_paid` ON `shop_lines` (`integration_id`,`placed_at`) WHERE amount > 0 and placed_at is not null;--> statement-breakpoint
CREATE TABLE `shop_orders` (
	`project_id` text NOT NULL,
	`integration_id` text NOT NULL,
	`transaction` text NOT NULL,
	`plan` text,
	`server_id` text NOT NULL,
	`paid` text,
	`request_id` text NOT NULL,
	`is_open` integer NOT NULL,
	`created_at` integer NOT NULL,
	`paid_at` integer,
	`refunded_at` integer,
	`dispute` text,
	PRIMARY KEY(`integration_id`, `transaction`)
);
--> statement-breakpoint
CREATE INDEX `shop_orders_open` ON `shop_orders` (`integration_id`,`created_at`) WHERE is_open;--> statement-breakpoint
CREATE TABLE `statistics` (
	`project_id` text NOT NULL,
	`server_id` text NOT NULL,
	`at` integer NOT NULL,
	`online` integer NOT NULL,
	`succeeded` integer NOT NULL,
	`refused` integer NOT NULL,
	`failed` integer NOT NULL,
	`unknown` integer NOT NULL,
	PRIMARY KEY(`project_id`, `at`, `server_id`)
);
--> statement-breakpoint
CREATE INDEX `statistics_at` ON `statistics` (`at`);--> statement-breakpoint
CREATE TABLE `stray_results` (
	`project_id` text NOT NULL,
	`server_id` text NOT NULL,
	`command_id` text NOT NULL,
	`status` text NOT NULL,
	`payload` text NOT NULL,
	`received_at` integer NOT NULL,
	PRIMARY KEY(`project_id`, `server_id`, `command_id`)
);
--> statement-breakpoint
CREATE INDEX `stray_results_received` ON `stray_results` (`received_at`);
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
	INSERT INTO `player_search` (`rowid`, `text`) SELECT `id`, `text` FROM `player_texts` WHERE `id` > old.`last_id` AND `id` <= new.`last_id` ORDER BY `id`;
	INSERT INTO `player_links` (`rowid`, `identifiers`) SELECT `id`, `identifiers` FROM `players` WHERE `id` > old.`last_id` AND `id` <= new.`last_id` ORDER BY `id`;
END;
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
CREATE TRIGGER `players_search_update` AFTER UPDATE OF `search_text`, `search_marks`, `identifiers`, `search_plates`, `gone_at` ON `players` WHEN (old.`search_text` <> new.`search_text` OR old.`search_marks` IS NOT new.`search_marks` OR old.`identifiers` <> new.`identifiers` OR old.`search_plates` IS NOT new.`search_plates` OR (old.`gone_at` IS NULL) <> (new.`gone_at` IS NULL)) AND old.`id` <= (SELECT `last_id` FROM `player_indexed`) BEGIN
	INSERT INTO `player_search` (`player_search`, `rowid`, `text`) SELECT 'delete', old.`id`, old.`search_text` || char(10) || coalesce(old.`search_marks`, '') || char(10) || old.`identifier` || char(10) || old.`identifiers` || char(10) || coalesce(old.`search_plates`, '') WHERE old.`gone_at` IS NULL;
	INSERT INTO `player_search` (`rowid`, `text`) SELECT new.`id`, new.`search_text` || char(10) || coalesce(new.`search_marks`, '') || char(10) || new.`identifier` || char(10) || new.`identifiers` || char(10) || coalesce(new.`search_plates`, '') WHERE new.`gone_at` IS NULL;
END;
--> statement-breakpoint
CREATE TRIGGER `players_links_update` AFTER UPDATE OF `identifiers` ON `players` WHEN old.`identifiers` <> new.`identifiers` AND old.`id` <= (SELECT `last_id` FROM `player_indexed`) BEGIN
	INSERT INTO `player_links` (`player_links`, `rowid`, `identifiers`) VALUES ('delete', old.`id`, old.`identifiers`);
	INSERT INTO `player_links` (`rowid`, `identifiers`) VALUES (new.`id`, new.`identifiers`);
END;
--> statement-breakpoint
CREATE TRIGGER `players_search_delete` AFTER DELETE ON `players` WHEN old.`gone_at` IS NULL AND old.`id` <= (SELECT `last_id` FROM `player_indexed`) BEGIN
	INSERT INTO `player_search` (`player_search`, `rowid`, `text`) VALUES ('delete', old.`id`, old.`search_text` || char(10) || coalesce(old.`search_marks`, '') || char(10) || old.`identifier` || char(10) || old.`identifiers` || char(10) || coalesce(old.`search_plates`, ''));
END;
--> statement-breakpoint
CREATE TRIGGER `players_links_delete` AFTER DELETE ON `players` WHEN old.`id` <= (SELECT `last_id` FROM `player_indexed`) BEGIN
	INSERT INTO `player_links` (`player_links`, `rowid`, `identifiers`) VALUES ('delete', old.`id`, old.`identifiers`);
END;
