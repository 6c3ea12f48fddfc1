ALTER TABLE "commands" ADD COLUMN "deliver" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "commands" ADD COLUMN "deliver_until" bigint;--> statement-breakpoint
ALTER TABLE "commands" ADD COLUMN "round" bigint;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "max_waiting" bigint DEFAULT 50000 NOT NULL;--> statement-breakpoint
CREATE INDEX "commands_waiting" ON "commands" USING btree ("project_id","server_id","target","seq") WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX "commands_waiting_until" ON "commands" USING btree ("expires_at") WHERE status = 'waiting';