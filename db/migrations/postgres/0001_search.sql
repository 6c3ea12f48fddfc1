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
--> statement-breakpoint
CREATE TABLE "player_totals" (
	"project_id" text COLLATE "C" NOT NULL,
	"server_id" text COLLATE "C" NOT NULL,
	"online" boolean NOT NULL,
	"total" bigint NOT NULL,
	PRIMARY KEY("project_id", "server_id", "online")
) WITH (fillfactor = 50);
--> statement-breakpoint
-- In one order, so that two of them never wait for each other.
CREATE FUNCTION "count_players"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		INSERT INTO "player_totals" AS kept SELECT "project_id", "server_id", "online", count(*) FROM added
			GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
			ON CONFLICT ("project_id", "server_id", "online") DO UPDATE SET "total" = kept."total" + excluded."total";
	ELSIF TG_OP = 'DELETE' THEN
		INSERT INTO "player_totals" AS kept SELECT "project_id", "server_id", "online", -count(*) FROM gone
			GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
			ON CONFLICT ("project_id", "server_id", "online") DO UPDATE SET "total" = kept."total" + excluded."total";
	ELSE
		INSERT INTO "player_totals" AS kept SELECT "project_id", "server_id", "online", sum(one) FROM (
				SELECT "project_id", "server_id", "online", 1 AS one FROM added
				UNION ALL SELECT "project_id", "server_id", "online", -1 FROM gone
			) AS changes
			GROUP BY 1, 2, 3 HAVING sum(one) <> 0 ORDER BY 1, 2, 3
			ON CONFLICT ("project_id", "server_id", "online") DO UPDATE SET "total" = kept."total" + excluded."total";
	END IF;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "players_added" AFTER INSERT ON "players" REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION "count_players"();
--> statement-breakpoint
CREATE TRIGGER "players_gone" AFTER DELETE ON "players" REFERENCING OLD TABLE AS gone
	FOR EACH STATEMENT EXECUTE FUNCTION "count_players"();
--> statement-breakpoint
CREATE TRIGGER "players_changed" AFTER UPDATE ON "players" REFERENCING OLD TABLE AS gone NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION "count_players"();
