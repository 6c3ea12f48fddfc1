ALTER TABLE "commands" ADD COLUMN "journal_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "servers" ADD COLUMN "deleting_at" bigint;