ALTER TABLE "api_keys" ADD COLUMN "max_batch_targets" bigint;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "max_batch_total" bigint;