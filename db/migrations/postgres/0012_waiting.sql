CREATE TABLE "batches" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"server_id" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"params" json NOT NULL,
	"label" text COLLATE "C",
	"fingerprint" text COLLATE "C" NOT NULL,
	"idempotency_key" text COLLATE "C" NOT NULL,
	"actor" json NOT NULL,
	"request_id" text COLLATE "C" NOT NULL,
	"deliver" text COLLATE "C" NOT NULL,
	"abort" json,
	"status" text COLLATE "C" NOT NULL,
	"ended_by" text COLLATE "C",
	"total" bigint NOT NULL,
	"duplicates" bigint NOT NULL,
	"written" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"touched_at" bigint NOT NULL,
	"settled_at" bigint,
	"targets" json NOT NULL
);
--> statement-breakpoint
ALTER TABLE "commands" ADD COLUMN "deliver" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "commands" ADD COLUMN "deliver_until" bigint;--> statement-breakpoint
ALTER TABLE "commands" ADD COLUMN "round" bigint;--> statement-breakpoint
ALTER TABLE "commands" ADD COLUMN "batch_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "max_batch_targets" bigint DEFAULT 10000 NOT NULL;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "max_batch_total" bigint;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "max_waiting" bigint DEFAULT 50000 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "batches_idempotency_key" ON "batches" USING btree ("project_id","idempotency_key");--> statement-breakpoint
CREATE INDEX "batches_project" ON "batches" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "batches_open" ON "batches" USING btree ("touched_at") WHERE status <> 'settled';--> statement-breakpoint
CREATE INDEX "commands_waiting" ON "commands" USING btree ("project_id","server_id","target","seq") WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX "commands_waiting_until" ON "commands" USING btree ("expires_at") WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX "commands_batch" ON "commands" USING btree ("batch_id","seq","status") WHERE batch_id is not null;