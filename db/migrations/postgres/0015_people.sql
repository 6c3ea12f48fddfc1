ALTER TABLE "commands" ADD COLUMN "unbound" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "players" ADD COLUMN "gone_at" bigint;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "missing_since" bigint;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "missing_players" bigint;--> statement-breakpoint
ALTER TABLE "shop_lines" ADD COLUMN "unbound" text COLLATE "C";--> statement-breakpoint
CREATE INDEX "commands_unbound" ON "commands" USING btree ("project_id","server_id","unbound") WHERE unbound is not null;--> statement-breakpoint
CREATE INDEX "shop_lines_unbound" ON "shop_lines" USING btree ("project_id","server_id","unbound") WHERE unbound is not null;