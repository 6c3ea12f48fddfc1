ALTER TABLE "players" ADD COLUMN "content_hash" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "players_synced_at" bigint;