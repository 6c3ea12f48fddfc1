CREATE TABLE "batches" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"server_id" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"params" json NOT NULL,
	"roles" json,
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
CREATE TABLE "schedule_runs" (
	"schedule_id" text COLLATE "C" NOT NULL,
	"planned_at" bigint NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"status" text COLLATE "C" NOT NULL,
	"made_id" text COLLATE "C",
	"error" json,
	"touched_at" bigint NOT NULL,
	CONSTRAINT "schedule_runs_pk" PRIMARY KEY("schedule_id","planned_at")
);
--> statement-breakpoint
CREATE TABLE "schedules" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"server_id" text COLLATE "C" NOT NULL,
	"label" text COLLATE "C" NOT NULL,
	"task" json NOT NULL,
	"runs_when" json NOT NULL,
	"missed" text COLLATE "C" NOT NULL,
	"key_id" text COLLATE "C" NOT NULL,
	"actor" json NOT NULL,
	"paused" boolean NOT NULL,
	"paused_by" text COLLATE "C",
	"next_at" bigint,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "commands" ADD COLUMN "deliver" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "commands" ADD COLUMN "deliver_until" bigint;--> statement-breakpoint
ALTER TABLE "commands" ADD COLUMN "round" bigint;--> statement-breakpoint
ALTER TABLE "commands" ADD COLUMN "batch_id" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "commands" ADD COLUMN "roles" json;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "max_batch_targets" bigint DEFAULT 10000 NOT NULL;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "max_batch_total" bigint;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "max_waiting" bigint DEFAULT 50000 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "batches_idempotency_key" ON "batches" USING btree ("project_id","idempotency_key");--> statement-breakpoint
CREATE INDEX "batches_project" ON "batches" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "batches_open" ON "batches" USING btree ("touched_at") WHERE status <> 'settled';--> statement-breakpoint
CREATE INDEX "schedule_runs_open" ON "schedule_runs" USING btree ("touched_at") WHERE status = 'started';--> statement-breakpoint
CREATE INDEX "schedules_project" ON "schedules" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "schedules_next" ON "schedules" USING btree ("next_at") WHERE next_at is not null and not paused;--> statement-breakpoint
CREATE INDEX "commands_waiting" ON "commands" USING btree ("project_id","server_id","target","seq") WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX "commands_waiting_until" ON "commands" USING btree ("expires_at") WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX "commands_batch" ON "commands" USING btree ("batch_id","seq","status") WHERE batch_id is not null;