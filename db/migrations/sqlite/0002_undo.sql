ALTER TABLE `commands` ADD `undoes` text;--> statement-breakpoint
ALTER TABLE `commands` ADD `repeats` text;--> statement-breakpoint
CREATE INDEX `commands_undoes` ON `commands` (`project_id`,`undoes`) WHERE undoes is not null;