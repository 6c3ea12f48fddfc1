ALTER TABLE "shop_lines" ADD COLUMN "product" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "shop_lines" ADD COLUMN "decision" json;--> statement-breakpoint
ALTER TABLE "shop_lines" ADD COLUMN "decided_at" bigint;--> statement-breakpoint
CREATE INDEX "shop_lines_decided" ON "shop_lines" USING btree ("integration_id","decided_at") WHERE decided_at is not null;