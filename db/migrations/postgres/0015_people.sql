ALTER TABLE "players" ADD COLUMN "gone_at" bigint;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "missing_since" bigint;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "missing_players" bigint;--> statement-breakpoint
ALTER TABLE "shop_lines" ADD COLUMN "unbound" text COLLATE "C";--> statement-breakpoint
CREATE INDEX "shop_lines_unbound" ON "shop_lines" USING btree ("project_id","server_id","unbound") WHERE unbound is not null;--> statement-breakpoint
CREATE INDEX "shop_lines_job" ON "shop_lines" USING btree ("project_id","server_id","target") WHERE name = 'job';--> statement-breakpoint
DROP INDEX "shop_lines_staff";--> statement-breakpoint
CREATE INDEX "shop_lines_staff" ON "shop_lines" USING btree ("integration_id","seq") WHERE (state in ('unmatched', 'refused', 'failed', 'owed') or unbound is not null);--> statement-breakpoint
DROP INDEX "players_online";--> statement-breakpoint
DROP INDEX "players_name";--> statement-breakpoint
DROP INDEX "players_server_online";--> statement-breakpoint
DROP INDEX "players_server_name";--> statement-breakpoint
CREATE INDEX "players_online" ON "players" USING btree ("project_id","online","last_seen_at","id","gone_at");--> statement-breakpoint
CREATE INDEX "players_name" ON "players" USING btree ("project_id","search_text","id","gone_at");--> statement-breakpoint
CREATE INDEX "players_server_online" ON "players" USING btree ("project_id","server_id","online","last_seen_at","id","gone_at");--> statement-breakpoint
CREATE INDEX "players_server_name" ON "players" USING btree ("project_id","server_id","search_text","id","gone_at");
--> statement-breakpoint
-- Players who are gone are in no total and in no searched text. Totals are changed in one order, so that two of them never
-- wait for each other.
CREATE OR REPLACE FUNCTION "follow_players"() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		INSERT INTO "player_totals" AS kept SELECT "project_id", "server_id", "online", count(*) FROM added
			WHERE "gone_at" IS NULL GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
			ON CONFLICT ("project_id", "server_id", "online") DO UPDATE SET "total" = kept."total" + excluded."total";
		INSERT INTO "player_texts" ("project_id", "id", "name", "marks", "ids", "plates")
			SELECT "project_id", "id", split_part("search_text", E'\n', 1), coalesce("search_marks", ''),
				lower("identifier" || E'\n' || "identifiers"::text), coalesce("search_plates", '') FROM added
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
			INSERT INTO "player_texts" AS kept ("project_id", "id", "name", "marks", "ids", "plates")
				SELECT "project_id", "id", split_part("search_text", E'\n', 1), coalesce("search_marks", ''),
					lower("identifier" || E'\n' || "identifiers"::text), coalesce("search_plates", '') FROM added
				WHERE "gone_at" IS NULL
				ON CONFLICT ("project_id", "id") DO UPDATE SET "name" = excluded."name", "marks" = excluded."marks",
					"ids" = excluded."ids", "plates" = excluded."plates"
				WHERE (kept."name", kept."marks", kept."ids", kept."plates")
					IS DISTINCT FROM (excluded."name", excluded."marks", excluded."ids", excluded."plates");
		END IF;
	END IF;
	RETURN NULL;
END $$;
