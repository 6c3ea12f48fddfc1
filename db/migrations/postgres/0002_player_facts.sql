ALTER TABLE "players" ADD COLUMN "job_name" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "players" ADD COLUMN "job_label" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "players" ADD COLUMN "job_grade" bigint;--> statement-breakpoint
ALTER TABLE "players" ADD COLUMN "group_name" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "players" ADD COLUMN "played_minutes" bigint;--> statement-breakpoint
ALTER TABLE "players" ADD COLUMN "game_id" bigint;