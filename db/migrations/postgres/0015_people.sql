ALTER TABLE "players" ADD COLUMN "gone_at" bigint;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "missing_since" bigint;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "missing_players" bigint;--> statement-breakpoint
ALTER TABLE "shop_lines" ADD COLUMN "unbound" text COLLATE "C";--> statement-breakpoint
CREATE INDEX "shop_lines_unbound" ON "shop_lines" USING btree ("project_id","server_id","unbound") WHERE unbound is not null;--> statement-breakpoint
CREATE INDEX "shop_lines_job" ON "shop_lines" USING btree ("project_id","server_id","target") WHERE name = 'job';--> statement-breakpoint
DROP INDEX "shop_lines_staff";--> statement-breakpoint
CREATE INDEX "shop_lines_staff" ON "shop_lines" USING btree ("integration_id","seq") WHERE (state in ('unmatched', 'refused', 'failed', 'owed') or unbound is not null);