CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
CREATE INDEX "players_search" ON "players" USING gin ("search_text" gin_trgm_ops);
--> statement-breakpoint
CREATE INDEX "players_linked" ON "players" USING gin ("identifiers");
