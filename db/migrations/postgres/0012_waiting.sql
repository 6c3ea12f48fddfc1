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
CREATE TABLE "deliveries" (
	"seq" bigserial PRIMARY KEY NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"integration_id" text COLLATE "C" NOT NULL,
	"received_at" bigint NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"transaction" text COLLATE "C",
	"outcome" text COLLATE "C" NOT NULL,
	"detail" text COLLATE "C"
);
--> statement-breakpoint
CREATE TABLE "integrations" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"server_id" text COLLATE "C" NOT NULL,
	"identifier_kind" text COLLATE "C",
	"secrets" json NOT NULL,
	"packages" json NOT NULL,
	"maker" json NOT NULL,
	"max_amount" bigint,
	"max_daily" bigint,
	"work_node" text COLLATE "C",
	"work_until" bigint,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"deleted_at" bigint
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
CREATE TABLE "shop_lines" (
	"seq" bigserial PRIMARY KEY NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"integration_id" text COLLATE "C" NOT NULL,
	"transaction" text COLLATE "C" NOT NULL,
	"package" text COLLATE "C" NOT NULL,
	"number" bigint NOT NULL,
	"step" bigint NOT NULL,
	"server_id" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C",
	"params" json,
	"buyer" json,
	"target" text COLLATE "C",
	"state" text COLLATE "C" NOT NULL,
	"reason" text COLLATE "C",
	"detail" text COLLATE "C",
	"command_id" text COLLATE "C",
	"opposite_id" text COLLATE "C",
	"attempt" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"due_at" bigint,
	"expires_at" bigint NOT NULL,
	"placed_at" bigint,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shop_orders" (
	"project_id" text COLLATE "C" NOT NULL,
	"integration_id" text COLLATE "C" NOT NULL,
	"transaction" text COLLATE "C" NOT NULL,
	"plan" json,
	"server_id" text COLLATE "C" NOT NULL,
	"paid" text COLLATE "C",
	"request_id" text COLLATE "C" NOT NULL,
	"is_open" boolean NOT NULL,
	"created_at" bigint NOT NULL,
	"paid_at" bigint,
	"refunded_at" bigint,
	"dispute" text COLLATE "C",
	CONSTRAINT "shop_orders_pk" PRIMARY KEY("integration_id","transaction")
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
CREATE INDEX "deliveries_integration" ON "deliveries" USING btree ("integration_id","seq");--> statement-breakpoint
CREATE INDEX "integrations_project" ON "integrations" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "schedule_runs_open" ON "schedule_runs" USING btree ("touched_at") WHERE status = 'started';--> statement-breakpoint
CREATE INDEX "schedules_project" ON "schedules" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "schedules_next" ON "schedules" USING btree ("next_at") WHERE next_at is not null and not paused;--> statement-breakpoint
CREATE UNIQUE INDEX "shop_lines_id" ON "shop_lines" USING btree ("id");--> statement-breakpoint
CREATE UNIQUE INDEX "shop_lines_line" ON "shop_lines" USING btree ("integration_id","transaction","package","number","step");--> statement-breakpoint
CREATE INDEX "shop_lines_due" ON "shop_lines" USING btree ("due_at","integration_id") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "shop_lines_staff" ON "shop_lines" USING btree ("integration_id","seq") WHERE state in ('unmatched', 'refused', 'failed', 'owed');--> statement-breakpoint
CREATE INDEX "shop_lines_command" ON "shop_lines" USING btree ("command_id") WHERE command_id is not null;--> statement-breakpoint
CREATE INDEX "shop_lines_opposite" ON "shop_lines" USING btree ("opposite_id") WHERE opposite_id is not null;--> statement-breakpoint
CREATE INDEX "shop_lines_paid" ON "shop_lines" USING btree ("integration_id","placed_at") WHERE amount > 0 and placed_at is not null;--> statement-breakpoint
CREATE INDEX "shop_orders_open" ON "shop_orders" USING btree ("integration_id","created_at") WHERE is_open;--> statement-breakpoint
CREATE INDEX "commands_waiting" ON "commands" USING btree ("project_id","server_id","target","seq") WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX "commands_waiting_until" ON "commands" USING btree ("expires_at") WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX "commands_batch" ON "commands" USING btree ("batch_id","seq","status") WHERE batch_id is not null;