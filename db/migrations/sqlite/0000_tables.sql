CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`project_id` text NOT NULL,
	`name` text NOT NULL,
	`scopes` text NOT NULL,
	`servers` text,
	`prefix` text NOT NULL,
	`hash` text NOT NULL,
	`previous_hash` text,
	`previous_expires_at` integer,
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
	`resolution` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `commands_id` ON `commands` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `commands_idempotency_key` ON `commands` (`project_id`,`idempotency_key`) WHERE idempotency_key is not null;--> statement-breakpoint
CREATE INDEX `commands_project` ON `commands` (`project_id`,`seq`);--> statement-breakpoint
CREATE INDEX `commands_dispatched` ON `commands` (`project_id`,`server_id`,`seq`) WHERE status = 'dispatched';--> statement-breakpoint
CREATE INDEX `commands_accepted` ON `commands` (`project_id`,`expires_at`) WHERE status = 'accepted';--> statement-breakpoint
CREATE INDEX `commands_indeterminate` ON `commands` (`project_id`,`seq`) WHERE status = 'indeterminate';--> statement-breakpoint
CREATE INDEX `commands_keyed` ON `commands` (`settled_at`) WHERE idempotency_key is not null and settled_at is not null;--> statement-breakpoint
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
	`metadata` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `players_identifier` ON `players` (`project_id`,`identifier`,`server_id`);--> statement-breakpoint
CREATE INDEX `players_online` ON `players` (`project_id`,`online`,`last_seen_at`,`id`);--> statement-breakpoint
CREATE INDEX `players_name` ON `players` (`project_id`,`search_text`,`id`);--> statement-breakpoint
CREATE INDEX `players_server_online` ON `players` (`project_id`,`server_id`,`online`,`last_seen_at`,`id`);--> statement-breakpoint
CREATE INDEX `players_server_name` ON `players` (`project_id`,`server_id`,`search_text`,`id`);--> statement-breakpoint
CREATE TABLE `projects` (
	`id` text PRIMARY KEY NOT NULL,
	`slug` text NOT NULL,
	`name` text NOT NULL,
	`rate_limit` integer DEFAULT 100 NOT NULL,
	`max_amount` integer,
	`allow_volatile` integer DEFAULT false NOT NULL,
	`disabled` integer DEFAULT false NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_slug` ON `projects` (`slug`);--> statement-breakpoint
CREATE INDEX `projects_updated` ON `projects` (`updated_at`);--> statement-breakpoint
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
	`connected_at` integer NOT NULL,
	`disconnected_at` integer,
	`close_code` integer,
	PRIMARY KEY(`project_id`, `server_id`)
);
--> statement-breakpoint
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