ALTER TABLE "projects" ADD COLUMN "max_servers" bigint DEFAULT 100 NOT NULL;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "max_keys" bigint DEFAULT 1000 NOT NULL;