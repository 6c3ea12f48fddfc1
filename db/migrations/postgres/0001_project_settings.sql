ALTER TABLE "projects" ADD COLUMN "own_max_amount" bigint;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "own_max_batch_total" bigint;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "confirm_above" bigint DEFAULT 1000000 NOT NULL;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "reason_for" json;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "language" text COLLATE "C";