CREATE TABLE "statistics_hours" (
	"project_id" text COLLATE "C" NOT NULL,
	"server_id" text COLLATE "C" NOT NULL,
	"at" bigint NOT NULL,
	"online" bigint NOT NULL,
	"succeeded" bigint NOT NULL,
	"refused" bigint NOT NULL,
	"failed" bigint NOT NULL,
	"unknown" bigint NOT NULL,
	"batch_succeeded" bigint DEFAULT 0 NOT NULL,
	"batch_refused" bigint DEFAULT 0 NOT NULL,
	"batch_failed" bigint DEFAULT 0 NOT NULL,
	"batch_unknown" bigint DEFAULT 0 NOT NULL,
	"seen" bigint NOT NULL,
	CONSTRAINT "statistics_hours_pk" PRIMARY KEY("project_id","at","server_id")
);
--> statement-breakpoint
ALTER TABLE "statistics" ADD COLUMN "batch_succeeded" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "statistics" ADD COLUMN "batch_refused" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "statistics" ADD COLUMN "batch_failed" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "statistics" ADD COLUMN "batch_unknown" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "statistics" ADD COLUMN "seen" bigint DEFAULT 1 NOT NULL;--> statement-breakpoint
CREATE INDEX "statistics_hours_at" ON "statistics_hours" USING btree ("at");