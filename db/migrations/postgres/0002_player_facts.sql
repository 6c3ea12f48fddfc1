ALTER TABLE "players" ADD COLUMN "job_name" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "players" ADD COLUMN "job_label" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "players" ADD COLUMN "job_grade" bigint;--> statement-breakpoint
ALTER TABLE "players" ADD COLUMN "group_name" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "players" ADD COLUMN "played_minutes" bigint;--> statement-breakpoint
ALTER TABLE "players" ADD COLUMN "game_id" bigint;--> statement-breakpoint
CREATE INDEX "players_game_id" ON "players" USING btree ("project_id","game_id") WHERE game_id is not null;