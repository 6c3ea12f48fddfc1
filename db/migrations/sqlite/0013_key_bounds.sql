ALTER TABLE `api_keys` ADD `max_batch_targets` integer;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `max_batch_total` integer;