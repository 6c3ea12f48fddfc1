CREATE TABLE "catalogues" (
	"project_id" text COLLATE "C" NOT NULL,
	"server_id" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"hash" text COLLATE "C" NOT NULL,
	"synced_at" bigint NOT NULL,
	"entries" json NOT NULL,
	CONSTRAINT "catalogues_pk" PRIMARY KEY("project_id","server_id","kind")
);
--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "classes" json;