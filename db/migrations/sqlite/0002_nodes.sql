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
CREATE INDEX `sessions_node` ON `sessions` (`node`,`project_id`,`server_id`) WHERE connected;