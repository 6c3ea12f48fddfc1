ALTER TABLE "commands" ADD COLUMN "undoes" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "commands" ADD COLUMN "repeats" text COLLATE "C";--> statement-breakpoint
CREATE INDEX "commands_undoes" ON "commands" USING btree ("project_id","undoes") WHERE undoes is not null;