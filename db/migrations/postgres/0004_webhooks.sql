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
CREATE INDEX "webhook_attempts_newest" ON "webhook_attempts" USING btree ("webhook_id","at","event_id");--> statement-breakpoint
CREATE INDEX "webhook_attempts_due" ON "webhook_attempts" USING btree ("webhook_id","due_at","event_seq") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "webhook_attempts_at" ON "webhook_attempts" USING btree ("at");--> statement-breakpoint
CREATE INDEX "webhooks_project" ON "webhooks" USING btree ("project_id","created_at","id");