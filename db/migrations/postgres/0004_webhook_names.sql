ALTER TABLE "webhook_attempts" ADD COLUMN "events" bigint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "name" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "fault" text COLLATE "C";