DROP INDEX "commands_waiting";--> statement-breakpoint
ALTER TABLE "commands" ADD COLUMN "not_before" bigint;--> statement-breakpoint
CREATE UNIQUE INDEX "commands_round" ON "commands" USING btree ("project_id","server_id","target","deliver") WHERE status in ('accepted', 'dispatched') and deliver is not null and error is null;--> statement-breakpoint
CREATE UNIQUE INDEX "commands_round_untargeted" ON "commands" USING btree ("project_id","server_id","deliver") WHERE status in ('accepted', 'dispatched') and deliver is not null and error is null and target is null;--> statement-breakpoint
CREATE INDEX "commands_waiting" ON "commands" USING btree ("project_id","server_id","target","deliver","seq","bytes") WHERE status = 'waiting';