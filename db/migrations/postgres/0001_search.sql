CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
CREATE INDEX "players_search" ON "players" USING gin ("search_text" gin_trgm_ops);
--> statement-breakpoint
CREATE FUNCTION write_player_identifiers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'UPDATE' THEN
		DELETE FROM "player_identifiers" WHERE "player_id" = old."id";
	END IF;
	INSERT INTO "player_identifiers" ("project_id", "value", "player_id")
		SELECT DISTINCT new."project_id", linked, new."id" FROM jsonb_array_elements_text(new."identifiers") AS linked;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "players_identifiers_insert" AFTER INSERT ON "players" FOR EACH ROW EXECUTE FUNCTION write_player_identifiers();
--> statement-breakpoint
CREATE TRIGGER "players_identifiers_update" AFTER UPDATE OF "identifiers" ON "players" FOR EACH ROW WHEN (old."identifiers" IS DISTINCT FROM new."identifiers") EXECUTE FUNCTION write_player_identifiers();
