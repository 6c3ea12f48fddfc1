ALTER TABLE "players" ADD COLUMN "search_marks" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "players" ADD COLUMN "search_plates" text COLLATE "C";--> statement-breakpoint
CREATE INDEX "players_unsearched" ON "players" USING btree ("id") WHERE search_marks is null;--> statement-breakpoint
DROP INDEX "player_texts_trigrams";
--> statement-breakpoint
DROP INDEX "player_texts_parts";
--> statement-breakpoint
ALTER TABLE "player_texts" RENAME COLUMN "search_text" TO "name";
--> statement-breakpoint
ALTER TABLE "player_texts" ADD COLUMN "marks" text COLLATE "C" NOT NULL DEFAULT '',
	ADD COLUMN "ids" text COLLATE "C" NOT NULL DEFAULT '',
	ADD COLUMN "plates" text COLLATE "C" NOT NULL DEFAULT '';
--> statement-breakpoint
UPDATE "player_texts" AS kept SET "name" = split_part(kept."name", E'\n', 1), "ids" = lower(p."identifier" || E'\n' || p."identifiers"::text)
	FROM "players" AS p WHERE p."id" = kept."id";
--> statement-breakpoint
CREATE INDEX "player_texts_names" ON "player_texts" USING gin ("name" gin_trgm_ops) WITH (gin_pending_list_limit = 2048);
--> statement-breakpoint
CREATE INDEX "player_texts_name_parts" ON "player_texts" USING gin ("text_parts"("name")) WITH (gin_pending_list_limit = 2048);
--> statement-breakpoint
CREATE INDEX "player_texts_ids" ON "player_texts" USING gin ("ids" gin_trgm_ops) WITH (gin_pending_list_limit = 2048);
--> statement-breakpoint
CREATE INDEX "player_texts_mark_parts" ON "player_texts" USING gin ("text_parts"("marks")) WITH (gin_pending_list_limit = 2048);
--> statement-breakpoint
CREATE INDEX "player_texts_plate_parts" ON "player_texts" USING gin ("text_parts"("plates")) WITH (gin_pending_list_limit = 2048);
--> statement-breakpoint
-- Totals are changed in one order, so that two of them never wait for each other.
CREATE OR REPLACE FUNCTION "follow_players"() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		INSERT INTO "player_totals" AS kept SELECT "project_id", "server_id", "online", count(*) FROM added
			GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
			ON CONFLICT ("project_id", "server_id", "online") DO UPDATE SET "total" = kept."total" + excluded."total";
		INSERT INTO "player_texts" ("project_id", "id", "name", "marks", "ids", "plates")
			SELECT "project_id", "id", split_part("search_text", E'\n', 1), coalesce("search_marks", ''),
				lower("identifier" || E'\n' || "identifiers"::text), coalesce("search_plates", '') FROM added;
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
		IF EXISTS (SELECT FROM added JOIN gone USING ("id") WHERE added."search_text" <> gone."search_text"
				OR added."search_marks" IS DISTINCT FROM gone."search_marks"
				OR added."search_plates" IS DISTINCT FROM gone."search_plates"
				OR added."identifiers"::text <> gone."identifiers"::text) THEN
			UPDATE "player_texts" AS kept SET "name" = texts."name", "marks" = texts."marks", "ids" = texts."ids",
					"plates" = texts."plates"
				FROM (SELECT "project_id", "id", split_part("search_text", E'\n', 1) AS "name",
					coalesce("search_marks", '') AS "marks", lower("identifier" || E'\n' || "identifiers"::text) AS "ids",
					coalesce("search_plates", '') AS "plates" FROM added) AS texts
				WHERE kept."project_id" = texts."project_id" AND kept."id" = texts."id"
				AND (kept."name", kept."marks", kept."ids", kept."plates")
					IS DISTINCT FROM (texts."name", texts."marks", texts."ids", texts."plates");
		END IF;
	END IF;
	RETURN NULL;
END $$;
