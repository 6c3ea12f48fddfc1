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
ALTER TABLE "commands" ADD COLUMN "undoes" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "commands" ADD COLUMN "repeats" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "players" ADD COLUMN "job_name" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "players" ADD COLUMN "job_label" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "players" ADD COLUMN "job_grade" bigint;--> statement-breakpoint
ALTER TABLE "players" ADD COLUMN "group_name" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "players" ADD COLUMN "played_minutes" bigint;--> statement-breakpoint
ALTER TABLE "players" ADD COLUMN "game_id" bigint;--> statement-breakpoint
ALTER TABLE "shop_lines" ADD COLUMN "product" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "shop_lines" ADD COLUMN "decision" json;--> statement-breakpoint
ALTER TABLE "shop_lines" ADD COLUMN "decided_at" bigint;--> statement-breakpoint
ALTER TABLE "statistics" ADD COLUMN "batch_succeeded" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "statistics" ADD COLUMN "batch_refused" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "statistics" ADD COLUMN "batch_failed" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "statistics" ADD COLUMN "batch_unknown" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "statistics" ADD COLUMN "seen" bigint DEFAULT 1 NOT NULL;--> statement-breakpoint
CREATE INDEX "statistics_hours_at" ON "statistics_hours" USING btree ("at");--> statement-breakpoint
CREATE INDEX "commands_undoes" ON "commands" USING btree ("project_id","undoes") WHERE undoes is not null;--> statement-breakpoint
CREATE INDEX "shop_lines_decided" ON "shop_lines" USING btree ("integration_id","decided_at") WHERE decided_at is not null;