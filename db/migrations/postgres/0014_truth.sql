CREATE TABLE "schedule_looks" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "rate_limit" bigint;--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "written_at" bigint;--> statement-breakpoint
ALTER TABLE "commands" ADD COLUMN "crashes" bigint;--> statement-breakpoint
ALTER TABLE "commands" ADD COLUMN "restored_at" bigint;--> statement-breakpoint
ALTER TABLE "commands" ADD COLUMN "bytes" bigint;--> statement-breakpoint
UPDATE "commands" SET "bytes" = octet_length("params"::text) WHERE "status" = 'waiting';--> statement-breakpoint
DROP INDEX "commands_waiting";--> statement-breakpoint
CREATE INDEX "commands_waiting" ON "commands" USING btree ("project_id","server_id","target","seq","bytes") WHERE status = 'waiting';--> statement-breakpoint
ALTER TABLE "schedules" ADD COLUMN "next_times" json;--> statement-breakpoint
ALTER TABLE "setup_links" ADD COLUMN "key_id" text COLLATE "C";--> statement-breakpoint
CREATE INDEX "schedule_runs_refused" ON "schedule_runs" USING btree ("project_id","touched_at") WHERE status in ('refused', 'missed');--> statement-breakpoint
-- Texts of players are folded in another way: the hub fills them again, in steps.
UPDATE "players" SET "search_marks" = NULL;
