CREATE TABLE `setup_links` (
	`hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL,
	`browser_hash` text,
	`browser_expires_at` integer
);
