CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
CREATE INDEX "players_search" ON "players" USING gin ("search_text" gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX "players_linked" ON "players" USING gin (("identifiers"::jsonb));
--> statement-breakpoint
CREATE TABLE "rate_limits" (
	"project_id" text COLLATE "C" PRIMARY KEY REFERENCES "projects" ON DELETE CASCADE,
	"granted" bigint NOT NULL,
	"ending" bigint NOT NULL,
	"buckets" jsonb NOT NULL
) WITH (fillfactor = 50);
