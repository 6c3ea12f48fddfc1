CREATE TABLE "panel_sessions" (
	"hash" text COLLATE "C" PRIMARY KEY NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"key_id" text COLLATE "C" NOT NULL,
	"key_hash" text COLLATE "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"last_used_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "statistics" (
	"project_id" text COLLATE "C" NOT NULL,
	"server_id" text COLLATE "C" NOT NULL,
	"at" bigint NOT NULL,
	"online" bigint NOT NULL,
	"succeeded" bigint NOT NULL,
	"refused" bigint NOT NULL,
	"failed" bigint NOT NULL,
	"unknown" bigint NOT NULL,
	CONSTRAINT "statistics_pk" PRIMARY KEY("project_id","at","server_id")
);
--> statement-breakpoint
CREATE INDEX "panel_sessions_project" ON "panel_sessions" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "panel_sessions_key" ON "panel_sessions" USING btree ("key_id","last_used_at");--> statement-breakpoint
CREATE INDEX "panel_sessions_last_used" ON "panel_sessions" USING btree ("last_used_at");--> statement-breakpoint
CREATE INDEX "statistics_at" ON "statistics" USING btree ("at");