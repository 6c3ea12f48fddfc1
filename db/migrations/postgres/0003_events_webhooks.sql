CREATE TABLE "events" (
	"seq" bigserial PRIMARY KEY NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"server_id" text COLLATE "C" NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"subject" text COLLATE "C" NOT NULL,
	"revision" bigint NOT NULL,
	"at" bigint NOT NULL,
	"body" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_attempts" (
	"project_id" text COLLATE "C" NOT NULL,
	"webhook_id" text COLLATE "C" NOT NULL,
	"event_id" text COLLATE "C" NOT NULL,
	"event_seq" bigint NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"state" text COLLATE "C" NOT NULL,
	"attempts" bigint NOT NULL,
	"status" bigint,
	"detail" text COLLATE "C",
	"answer" text COLLATE "C" NOT NULL,
	"took_ms" bigint NOT NULL,
	"at" bigint NOT NULL,
	"due_at" bigint,
	CONSTRAINT "webhook_attempts_pk" PRIMARY KEY("webhook_id","event_id")
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"format" text COLLATE "C" NOT NULL,
	"url" text COLLATE "C" NOT NULL,
	"types" json,
	"servers" json,
	"names" boolean NOT NULL,
	"secrets" json NOT NULL,
	"maker" json NOT NULL,
	"off" text COLLATE "C",
	"off_at" bigint,
	"cursor" bigint NOT NULL,
	"failures" bigint NOT NULL,
	"failing_since" bigint,
	"failed_day" bigint,
	"failed_days" bigint NOT NULL,
	"rest_until" bigint,
	"work_node" text COLLATE "C",
	"work_until" bigint,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "batches" ADD COLUMN "outbox" bigint;--> statement-breakpoint
ALTER TABLE "commands" ADD COLUMN "outbox" bigint;--> statement-breakpoint
ALTER TABLE "players" ADD COLUMN "outbox" bigint;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "keep_events" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "events_since" bigint;--> statement-breakpoint
ALTER TABLE "schedule_runs" ADD COLUMN "last_planned_at" bigint;--> statement-breakpoint
ALTER TABLE "schedule_runs" ADD COLUMN "outbox" bigint;--> statement-breakpoint
ALTER TABLE "schedules" ADD COLUMN "outbox" bigint;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "outbox" bigint;--> statement-breakpoint
ALTER TABLE "shop_lines" ADD COLUMN "outbox" bigint;--> statement-breakpoint
CREATE UNIQUE INDEX "events_id" ON "events" USING btree ("id");--> statement-breakpoint
CREATE UNIQUE INDEX "events_told" ON "events" USING btree ("project_id","type","subject","revision");--> statement-breakpoint
CREATE INDEX "events_project" ON "events" USING btree ("project_id","seq","at");--> statement-breakpoint
CREATE INDEX "events_at" ON "events" USING btree ("at");--> statement-breakpoint
CREATE INDEX "webhook_attempts_newest" ON "webhook_attempts" USING btree ("webhook_id","at","event_id");--> statement-breakpoint
CREATE INDEX "webhook_attempts_due" ON "webhook_attempts" USING btree ("webhook_id","due_at","event_seq") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "webhook_attempts_at" ON "webhook_attempts" USING btree ("at");--> statement-breakpoint
CREATE INDEX "webhooks_project" ON "webhooks" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "batches_owed" ON "batches" USING btree ("project_id","id") WHERE outbox > 0;--> statement-breakpoint
CREATE INDEX "commands_owed" ON "commands" USING btree ("project_id","seq") WHERE outbox > 0 and (batch_id is null or outbox > 3);--> statement-breakpoint
CREATE INDEX "players_owed" ON "players" USING btree ("project_id","id") WHERE outbox > 0;--> statement-breakpoint
CREATE INDEX "schedule_runs_owed" ON "schedule_runs" USING btree ("project_id","planned_at") WHERE outbox > 0;--> statement-breakpoint
CREATE INDEX "schedules_owed" ON "schedules" USING btree ("project_id","id") WHERE outbox % 2 = 1;--> statement-breakpoint
CREATE INDEX "sessions_owed" ON "sessions" USING btree ("project_id","server_id") WHERE outbox % 2 = 1;--> statement-breakpoint
CREATE INDEX "shop_lines_owed" ON "shop_lines" USING btree ("project_id","seq") WHERE outbox % 2 = 1;