CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
-- Characters and pairs of characters. A line feed parts name and identifier, and no search contains one.
CREATE FUNCTION "text_parts"(text) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS $$
	SELECT string_to_array($1, NULL) || string_to_array(
		regexp_replace($1, '(..)', E'\\1\n', 'g') || E'\n' || regexp_replace(substr($1, 2), '(..)', E'\\1\n', 'g'), E'\n')
$$;
--> statement-breakpoint
-- What is searched, apart from the rest of each player: it is narrow, and is written only when a name changes.
CREATE TABLE "player_texts" (
	"project_id" text COLLATE "C" NOT NULL,
	"id" bigint NOT NULL,
	"search_text" text COLLATE "C" NOT NULL,
	PRIMARY KEY("project_id", "id")
);
--> statement-breakpoint
CREATE INDEX "player_texts_trigrams" ON "player_texts" USING gin ("search_text" gin_trgm_ops) WITH (gin_pending_list_limit = 2048);
--> statement-breakpoint
CREATE INDEX "player_texts_parts" ON "player_texts" USING gin ("text_parts"("search_text")) WITH (gin_pending_list_limit = 2048);
--> statement-breakpoint
CREATE INDEX "players_linked" ON "players" USING gin (("identifiers"::jsonb));
--> statement-breakpoint
CREATE TABLE "rate_limits" (
	"project_id" text COLLATE "C" PRIMARY KEY REFERENCES "projects" ON DELETE CASCADE,
	"granted" bigint NOT NULL,
	"ending" bigint NOT NULL,
	"buckets" jsonb NOT NULL
) WITH (fillfactor = 50);
--> statement-breakpoint
CREATE TABLE "player_totals" (
	"project_id" text COLLATE "C" NOT NULL,
	"server_id" text COLLATE "C" NOT NULL,
	"online" boolean NOT NULL,
	"total" bigint NOT NULL,
	PRIMARY KEY("project_id", "server_id", "online")
) WITH (fillfactor = 50);
--> statement-breakpoint
-- Totals are changed in one order, so that two of them never wait for each other.
CREATE FUNCTION "follow_players"() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		INSERT INTO "player_totals" AS kept SELECT "project_id", "server_id", "online", count(*) FROM added
			GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
			ON CONFLICT ("project_id", "server_id", "online") DO UPDATE SET "total" = kept."total" + excluded."total";
		INSERT INTO "player_texts" SELECT "project_id", "id", "search_text" FROM added;
	ELSIF TG_OP = 'DELETE' THEN
		INSERT INTO "player_totals" AS kept SELECT "project_id", "server_id", "online", -count(*) FROM gone
			GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
			ON CONFLICT ("project_id", "server_id", "online") DO UPDATE SET "total" = kept."total" + excluded."total";
		DELETE FROM "player_texts" AS kept USING gone WHERE kept."project_id" = gone."project_id" AND kept."id" = gone."id";
	ELSE
		INSERT INTO "player_totals" AS kept SELECT "project_id", "server_id", "online", sum(one) FROM (
				SELECT "project_id", "server_id", "online", 1 AS one FROM added
				UNION ALL SELECT "project_id", "server_id", "online", -1 FROM gone
			) AS changes
			GROUP BY 1, 2, 3 HAVING sum(one) <> 0 ORDER BY 1, 2, 3
			ON CONFLICT ("project_id", "server_id", "online") DO UPDATE SET "total" = kept."total" + excluded."total";
		IF EXISTS (SELECT FROM added JOIN gone USING ("id") WHERE added."search_text" <> gone."search_text") THEN
			UPDATE "player_texts" AS kept SET "search_text" = added."search_text" FROM added
				WHERE kept."project_id" = added."project_id" AND kept."id" = added."id"
				AND kept."search_text" <> added."search_text";
		END IF;
	END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "players_added" AFTER INSERT ON "players" REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION "follow_players"();
--> statement-breakpoint
CREATE TRIGGER "players_gone" AFTER DELETE ON "players" REFERENCING OLD TABLE AS gone
	FOR EACH STATEMENT EXECUTE FUNCTION "follow_players"();
--> statement-breakpoint
CREATE TRIGGER "players_changed" AFTER UPDATE ON "players" REFERENCING OLD TABLE AS gone NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION "follow_players"();
