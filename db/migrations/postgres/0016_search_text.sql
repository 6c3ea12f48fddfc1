DROP INDEX "player_texts_names";
--> statement-breakpoint
DROP INDEX "player_texts_name_parts";
--> statement-breakpoint
DROP INDEX "player_texts_ids";
--> statement-breakpoint
DROP INDEX "player_texts_mark_parts";
--> statement-breakpoint
DROP INDEX "player_texts_plate_parts";
--> statement-breakpoint
DROP FUNCTION "text_parts";
--> statement-breakpoint
ALTER TABLE "player_texts" ADD COLUMN "text" text COLLATE "C" NOT NULL DEFAULT '', DROP COLUMN "name", DROP COLUMN "marks", DROP COLUMN "ids", DROP COLUMN "plates";
--> statement-breakpoint
UPDATE "player_texts" AS kept SET "text" = concat_ws(E'\n', p."search_text", p."search_marks", lower(p."identifier"), lower(p."identifiers"::text), p."search_plates")
	FROM "players" AS p WHERE p."id" = kept."id";
--> statement-breakpoint
ALTER TABLE "player_texts" ALTER COLUMN "text" DROP DEFAULT;
--> statement-breakpoint
CREATE INDEX "player_texts_trigrams" ON "player_texts" USING gin ("text" gin_trgm_ops) WITH (gin_pending_list_limit = 2048);
--> statement-breakpoint
-- Players who are gone are in no total and in no searched text. Totals are changed in one order, so that two of them never
-- wait for each other.
CREATE OR REPLACE FUNCTION "follow_players"() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		INSERT INTO "player_totals" AS kept SELECT "project_id", "server_id", "online", count(*) FROM added
			WHERE "gone_at" IS NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
			ON CONFLICT ("project_id", "server_id", "online") DO UPDATE SET "total" = kept."total" + excluded."total";
		INSERT INTO "player_texts" ("project_id", "id", "text")
			SELECT "project_id", "id", concat_ws(E'\n', "search_text", "search_marks", lower("identifier"), lower("identifiers"::text), "search_plates") FROM added
			WHERE "gone_at" IS NULL;
	ELSIF TG_OP = 'DELETE' THEN
		INSERT INTO "player_totals" AS kept SELECT "project_id", "server_id", "online", -count(*) FROM gone
			WHERE "gone_at" IS NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
			ON CONFLICT ("project_id", "server_id", "online") DO UPDATE SET "total" = kept."total" + excluded."total";
		DELETE FROM "player_texts" AS kept USING gone WHERE kept."project_id" = gone."project_id" AND kept."id" = gone."id";
	ELSE
		INSERT INTO "player_totals" AS kept SELECT "project_id", "server_id", "online", sum(one) FROM (
				SELECT "project_id", "server_id", "online", 1 AS one FROM added WHERE "gone_at" IS NULL
				UNION ALL SELECT "project_id", "server_id", "online", -1 FROM gone WHERE "gone_at" IS NULL
			) AS changes
			GROUP BY 1, 2, 3 HAVING sum(one) <> 0 ORDER BY 1, 2, 3
			ON CONFLICT ("project_id", "server_id", "online") DO UPDATE SET "total" = kept."total" + excluded."total";
		IF EXISTS (SELECT FROM added JOIN gone USING ("id") WHERE added."search_text" <> gone."search_text"
				OR added."search_marks" IS DISTINCT FROM gone."search_marks"
				OR added."search_plates" IS DISTINCT FROM gone."search_plates"
				OR added."identifiers"::text <> gone."identifiers"::text
				OR (added."gone_at" IS NULL) <> (gone."gone_at" IS NULL)) THEN
			DELETE FROM "player_texts" AS kept USING added
				WHERE kept."project_id" = added."project_id" AND kept."id" = added."id" AND added."gone_at" IS NOT NULL;
			INSERT INTO "player_texts" AS kept ("project_id", "id", "text")
				SELECT "project_id", "id", concat_ws(E'\n', "search_text", "search_marks", lower("identifier"), lower("identifiers"::text), "search_plates") FROM added
				WHERE "gone_at" IS NULL
				ON CONFLICT ("project_id", "id") DO UPDATE SET "text" = excluded."text" WHERE kept."text" <> excluded."text";
		END IF;
	END IF;
	RETURN NULL;
END $$;
