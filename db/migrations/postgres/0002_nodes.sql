CREATE TABLE "nodes" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"host" text COLLATE "C" NOT NULL,
	"pid" bigint NOT NULL,
	"bus" text COLLATE "C" NOT NULL,
	"started_at" bigint NOT NULL,
	"lease_ends_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "sessions_node" ON "sessions" USING btree ("node","project_id","server_id") WHERE connected;