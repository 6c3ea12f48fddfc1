CREATE TABLE "api_keys" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"scopes" json NOT NULL,
	"servers" json,
	"max_batch_targets" bigint,
	"max_batch_total" bigint,
	"prefix" text COLLATE "C" NOT NULL,
	"hash" text COLLATE "C" NOT NULL,
	"previous_hash" text COLLATE "C",
	"previous_expires_at" bigint,
	"rate_limit" bigint,
	"created_by" text COLLATE "C",
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"expires_at" bigint,
	"revoked_at" bigint,
	"last_used_at" bigint
);
--> statement-breakpoint
CREATE TABLE "batches" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"server_id" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"params" json NOT NULL,
	"roles" json,
	"label" text COLLATE "C",
	"fingerprint" text COLLATE "C" NOT NULL,
	"idempotency_key" text COLLATE "C" NOT NULL,
	"actor" json NOT NULL,
	"request_id" text COLLATE "C" NOT NULL,
	"deliver" text COLLATE "C" NOT NULL,
	"abort" json,
	"status" text COLLATE "C" NOT NULL,
	"ended_by" text COLLATE "C",
	"total" bigint NOT NULL,
	"duplicates" bigint NOT NULL,
	"written" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"touched_at" bigint NOT NULL,
	"written_at" bigint,
	"settled_at" bigint,
	"targets" json NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE "commands" (
	"seq" bigserial PRIMARY KEY NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"server_id" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"class" text COLLATE "C" NOT NULL,
	"target" text COLLATE "C",
	"params" json NOT NULL,
	"fingerprint" text COLLATE "C" NOT NULL,
	"status" text COLLATE "C" NOT NULL,
	"idempotency_key" text COLLATE "C",
	"actor" json NOT NULL,
	"request_id" text COLLATE "C" NOT NULL,
	"attempts" bigint NOT NULL,
	"epoch" bigint,
	"session_id" text COLLATE "C",
	"void_requested" boolean NOT NULL,
	"result" json,
	"error" json,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"dispatched_at" bigint,
	"settled_at" bigint,
	"resolution" json,
	"journal_id" text COLLATE "C",
	"deliver" text COLLATE "C",
	"deliver_until" bigint,
	"round" bigint,
	"batch_id" text COLLATE "C",
	"bytes" bigint,
	"crashes" bigint,
	"not_before" bigint,
	"restored_at" bigint,
	"roles" json
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"seq" bigserial PRIMARY KEY NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"integration_id" text COLLATE "C" NOT NULL,
	"received_at" bigint NOT NULL,
	"type" text COLLATE "C" NOT NULL,
	"transaction" text COLLATE "C",
	"outcome" text COLLATE "C" NOT NULL,
	"detail" text COLLATE "C"
);
--> statement-breakpoint
CREATE TABLE "integrations" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"server_id" text COLLATE "C" NOT NULL,
	"identifier_kind" text COLLATE "C",
	"secrets" json NOT NULL,
	"packages" json NOT NULL,
	"maker" json NOT NULL,
	"max_amount" bigint,
	"max_daily" bigint,
	"work_node" text COLLATE "C",
	"work_until" bigint,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"deleted_at" bigint
);
--> statement-breakpoint
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
CREATE TABLE "panel_sessions" (
	"hash" text COLLATE "C" PRIMARY KEY NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"key_id" text COLLATE "C" NOT NULL,
	"key_hash" text COLLATE "C" NOT NULL,
	"created_at" bigint NOT NULL,
	"last_used_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "players" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"server_id" text COLLATE "C" NOT NULL,
	"identifier" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"search_text" text COLLATE "C" NOT NULL,
	"online" boolean NOT NULL,
	"first_seen_at" bigint NOT NULL,
	"last_seen_at" bigint NOT NULL,
	"synced_at" bigint NOT NULL,
	"identifiers" json NOT NULL,
	"accounts" json NOT NULL,
	"inventory" json NOT NULL,
	"vehicles" json NOT NULL,
	"metadata" json NOT NULL,
	"search_marks" text COLLATE "C",
	"search_plates" text COLLATE "C",
	"content_hash" text COLLATE "C",
	"gone_at" bigint
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"slug" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"rate_limit" bigint DEFAULT 100 NOT NULL,
	"max_amount" bigint,
	"max_servers" bigint DEFAULT 100 NOT NULL,
	"max_keys" bigint DEFAULT 1000 NOT NULL,
	"max_batch_targets" bigint DEFAULT 10000 NOT NULL,
	"max_batch_total" bigint,
	"max_waiting" bigint DEFAULT 50000 NOT NULL,
	"allow_volatile" boolean DEFAULT false NOT NULL,
	"disabled" boolean DEFAULT false NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "schedule_looks" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "schedule_runs" (
	"schedule_id" text COLLATE "C" NOT NULL,
	"planned_at" bigint NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"status" text COLLATE "C" NOT NULL,
	"made_id" text COLLATE "C",
	"error" json,
	"touched_at" bigint NOT NULL,
	CONSTRAINT "schedule_runs_pk" PRIMARY KEY("schedule_id","planned_at")
);
--> statement-breakpoint
CREATE TABLE "schedules" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"server_id" text COLLATE "C" NOT NULL,
	"label" text COLLATE "C" NOT NULL,
	"task" json NOT NULL,
	"runs_when" json NOT NULL,
	"missed" text COLLATE "C" NOT NULL,
	"key_id" text COLLATE "C" NOT NULL,
	"actor" json NOT NULL,
	"paused" boolean NOT NULL,
	"paused_by" text COLLATE "C",
	"next_at" bigint,
	"next_times" json,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "servers" (
	"project_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"disabled" boolean DEFAULT false NOT NULL,
	"token_prefix" text COLLATE "C" NOT NULL,
	"token_hash" text COLLATE "C" NOT NULL,
	"previous_token_hash" text COLLATE "C",
	"previous_token_expires_at" bigint,
	"journal_id" text COLLATE "C",
	"journal_sequence" bigint,
	"journal_instance" text COLLATE "C",
	"deleting_at" bigint,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	CONSTRAINT "servers_pk" PRIMARY KEY("project_id","id")
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"project_id" text COLLATE "C" NOT NULL,
	"server_id" text COLLATE "C" NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"node" text COLLATE "C" NOT NULL,
	"epoch" bigint NOT NULL,
	"instance" text COLLATE "C" NOT NULL,
	"connected" boolean NOT NULL,
	"software" json NOT NULL,
	"commands" json NOT NULL,
	"accounts" json NOT NULL,
	"journal_class" text COLLATE "C" NOT NULL,
	"classes" json,
	"connected_at" bigint NOT NULL,
	"disconnected_at" bigint,
	"close_code" bigint,
	"players_synced_at" bigint,
	"missing_since" bigint,
	"missing_players" bigint,
	CONSTRAINT "sessions_pk" PRIMARY KEY("project_id","server_id")
);
--> statement-breakpoint
CREATE TABLE "setup_links" (
	"hash" text COLLATE "C" PRIMARY KEY NOT NULL,
	"expires_at" bigint NOT NULL,
	"browser_hash" text COLLATE "C",
	"browser_expires_at" bigint,
	"key_id" text COLLATE "C"
);
--> statement-breakpoint
CREATE TABLE "shop_lines" (
	"seq" bigserial PRIMARY KEY NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"integration_id" text COLLATE "C" NOT NULL,
	"transaction" text COLLATE "C" NOT NULL,
	"package" text COLLATE "C" NOT NULL,
	"number" bigint NOT NULL,
	"step" bigint NOT NULL,
	"server_id" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C",
	"params" json,
	"buyer" json,
	"target" text COLLATE "C",
	"unbound" text COLLATE "C",
	"state" text COLLATE "C" NOT NULL,
	"reason" text COLLATE "C",
	"detail" text COLLATE "C",
	"command_id" text COLLATE "C",
	"opposite_id" text COLLATE "C",
	"attempt" bigint NOT NULL,
	"amount" bigint NOT NULL,
	"due_at" bigint,
	"expires_at" bigint NOT NULL,
	"placed_at" bigint,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shop_orders" (
	"project_id" text COLLATE "C" NOT NULL,
	"integration_id" text COLLATE "C" NOT NULL,
	"transaction" text COLLATE "C" NOT NULL,
	"plan" json,
	"server_id" text COLLATE "C" NOT NULL,
	"paid" text COLLATE "C",
	"request_id" text COLLATE "C" NOT NULL,
	"is_open" boolean NOT NULL,
	"created_at" bigint NOT NULL,
	"paid_at" bigint,
	"refunded_at" bigint,
	"dispute" text COLLATE "C",
	CONSTRAINT "shop_orders_pk" PRIMARY KEY("integration_id","transaction")
);
--> statement-breakpoint
CREATE TABLE "statistics" (
	"project_id" text COLLATE "C" NOT NULL,
	"server_id" text COLLATE "C" NOT NULL,
	"at" bigint NOT NULL,
	"online" bigint NOT NULL,
	"succeeded" bigint NOT NULL,
	"refused" bigint NOT NULL,
	"failed" bigint NOT NULL,
	"unknown" bigint NOT NULL,
	CONSTRAINT "statistics_pk" PRIMARY KEY("project_id","at","server_id")
);
--> statement-breakpoint
CREATE TABLE "stray_results" (
	"project_id" text COLLATE "C" NOT NULL,
	"server_id" text COLLATE "C" NOT NULL,
	"command_id" text COLLATE "C" NOT NULL,
	"status" text COLLATE "C" NOT NULL,
	"payload" json NOT NULL,
	"received_at" bigint NOT NULL,
	CONSTRAINT "stray_results_pk" PRIMARY KEY("project_id","server_id","command_id")
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "servers" ADD CONSTRAINT "servers_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_hash" ON "api_keys" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "api_keys_previous_hash" ON "api_keys" USING btree ("previous_hash");--> statement-breakpoint
CREATE INDEX "api_keys_project" ON "api_keys" USING btree ("project_id","created_at");--> statement-breakpoint
CREATE INDEX "api_keys_updated" ON "api_keys" USING btree ("updated_at");--> statement-breakpoint
CREATE UNIQUE INDEX "batches_idempotency_key" ON "batches" USING btree ("project_id","idempotency_key");--> statement-breakpoint
CREATE INDEX "batches_project" ON "batches" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "batches_open" ON "batches" USING btree ("touched_at") WHERE status <> 'settled';--> statement-breakpoint
CREATE UNIQUE INDEX "commands_id" ON "commands" USING btree ("id");--> statement-breakpoint
CREATE UNIQUE INDEX "commands_idempotency_key" ON "commands" USING btree ("project_id","idempotency_key") WHERE idempotency_key is not null;--> statement-breakpoint
CREATE INDEX "commands_project" ON "commands" USING btree ("project_id","seq");--> statement-breakpoint
CREATE INDEX "commands_created" ON "commands" USING btree ("project_id","created_at","seq");--> statement-breakpoint
CREATE INDEX "commands_dispatched" ON "commands" USING btree ("project_id","server_id","seq") WHERE status = 'dispatched';--> statement-breakpoint
CREATE INDEX "commands_accepted" ON "commands" USING btree ("project_id","expires_at") WHERE status = 'accepted';--> statement-breakpoint
CREATE INDEX "commands_waiting" ON "commands" USING btree ("project_id","server_id","target","deliver","seq","bytes") WHERE status = 'waiting';--> statement-breakpoint
CREATE UNIQUE INDEX "commands_round" ON "commands" USING btree ("project_id","server_id","target","deliver") WHERE status in ('accepted', 'dispatched') and deliver is not null and error is null;--> statement-breakpoint
CREATE UNIQUE INDEX "commands_round_untargeted" ON "commands" USING btree ("project_id","server_id","deliver") WHERE status in ('accepted', 'dispatched') and deliver is not null and error is null and target is null;--> statement-breakpoint
CREATE INDEX "commands_waiting_until" ON "commands" USING btree ("expires_at") WHERE status = 'waiting';--> statement-breakpoint
CREATE INDEX "commands_batch" ON "commands" USING btree ("batch_id","seq","status") WHERE batch_id is not null;--> statement-breakpoint
CREATE INDEX "commands_indeterminate" ON "commands" USING btree ("project_id","seq") WHERE status = 'indeterminate';--> statement-breakpoint
CREATE INDEX "commands_keyed" ON "commands" USING btree ("settled_at") WHERE idempotency_key is not null and settled_at is not null;--> statement-breakpoint
CREATE INDEX "deliveries_integration" ON "deliveries" USING btree ("integration_id","seq");--> statement-breakpoint
CREATE INDEX "integrations_project" ON "integrations" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "panel_sessions_project" ON "panel_sessions" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "panel_sessions_key" ON "panel_sessions" USING btree ("key_id","last_used_at");--> statement-breakpoint
CREATE INDEX "panel_sessions_last_used" ON "panel_sessions" USING btree ("last_used_at");--> statement-breakpoint
CREATE UNIQUE INDEX "players_identifier" ON "players" USING btree ("project_id","identifier","server_id");--> statement-breakpoint
CREATE INDEX "players_online" ON "players" USING btree ("project_id","online","last_seen_at","id","gone_at");--> statement-breakpoint
CREATE INDEX "players_name" ON "players" USING btree ("project_id","search_text","id","gone_at");--> statement-breakpoint
CREATE INDEX "players_server_online" ON "players" USING btree ("project_id","server_id","online","last_seen_at","id","gone_at");--> statement-breakpoint
CREATE INDEX "players_server_name" ON "players" USING btree ("project_id","server_id","search_text","id","gone_at");--> statement-breakpoint
CREATE INDEX "players_unsearched" ON "players" USING btree ("id") WHERE search_marks is null;--> statement-breakpoint
CREATE UNIQUE INDEX "projects_slug" ON "projects" USING btree ("slug");--> statement-breakpoint
CREATE INDEX "projects_updated" ON "projects" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "schedule_runs_open" ON "schedule_runs" USING btree ("touched_at") WHERE status = 'started';--> statement-breakpoint
CREATE INDEX "schedule_runs_refused" ON "schedule_runs" USING btree ("project_id","touched_at") WHERE status in ('refused', 'missed');--> statement-breakpoint
CREATE INDEX "schedules_project" ON "schedules" USING btree ("project_id","created_at","id");--> statement-breakpoint
CREATE INDEX "schedules_next" ON "schedules" USING btree ("next_at") WHERE next_at is not null and not paused;--> statement-breakpoint
CREATE UNIQUE INDEX "servers_token_hash" ON "servers" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "servers_previous_token_hash" ON "servers" USING btree ("previous_token_hash");--> statement-breakpoint
CREATE INDEX "servers_updated" ON "servers" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "sessions_node" ON "sessions" USING btree ("node","project_id","server_id") WHERE connected;--> statement-breakpoint
CREATE UNIQUE INDEX "shop_lines_id" ON "shop_lines" USING btree ("id");--> statement-breakpoint
CREATE UNIQUE INDEX "shop_lines_line" ON "shop_lines" USING btree ("integration_id","transaction","package","number","step");--> statement-breakpoint
CREATE INDEX "shop_lines_due" ON "shop_lines" USING btree ("due_at","integration_id") WHERE due_at is not null;--> statement-breakpoint
CREATE INDEX "shop_lines_staff" ON "shop_lines" USING btree ("integration_id","seq") WHERE (state in ('unmatched', 'refused', 'failed', 'owed') or unbound is not null);--> statement-breakpoint
CREATE INDEX "shop_lines_unbound" ON "shop_lines" USING btree ("project_id","server_id","unbound") WHERE unbound is not null;--> statement-breakpoint
CREATE INDEX "shop_lines_job" ON "shop_lines" USING btree ("project_id","server_id","target") WHERE name = 'job';--> statement-breakpoint
CREATE INDEX "shop_lines_command" ON "shop_lines" USING btree ("command_id") WHERE command_id is not null;--> statement-breakpoint
CREATE INDEX "shop_lines_opposite" ON "shop_lines" USING btree ("opposite_id") WHERE opposite_id is not null;--> statement-breakpoint
CREATE INDEX "shop_lines_paid" ON "shop_lines" USING btree ("integration_id","placed_at") WHERE amount > 0 and placed_at is not null;--> statement-breakpoint
CREATE INDEX "shop_orders_open" ON "shop_orders" USING btree ("integration_id","created_at") WHERE is_open;--> statement-breakpoint
CREATE INDEX "statistics_at" ON "statistics" USING btree ("at");--> statement-breakpoint
CREATE INDEX "stray_results_received" ON "stray_results" USING btree ("received_at");
--> statement-breakpoint
CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
-- What is searched, apart from the rest of each player: it is narrow, and is written only when it changes.
CREATE TABLE "player_texts" (
	"project_id" text COLLATE "C" NOT NULL,
	"id" bigint NOT NULL,
	"text" text COLLATE "C" NOT NULL,
	PRIMARY KEY("project_id", "id")
);
--> statement-breakpoint
CREATE INDEX "player_texts_trigrams" ON "player_texts" USING gin ("text" gin_trgm_ops) WITH (gin_pending_list_limit = 2048);
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
-- Players who are gone are in no total and in no searched text. Totals are changed in one order, so that two of them never
-- wait for each other.
CREATE FUNCTION "follow_players"() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
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
--> statement-breakpoint
CREATE TRIGGER "players_added" AFTER INSERT ON "players" REFERENCING NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION "follow_players"();
--> statement-breakpoint
CREATE TRIGGER "players_gone" AFTER DELETE ON "players" REFERENCING OLD TABLE AS gone
	FOR EACH STATEMENT EXECUTE FUNCTION "follow_players"();
--> statement-breakpoint
CREATE TRIGGER "players_changed" AFTER UPDATE ON "players" REFERENCING OLD TABLE AS gone NEW TABLE AS added
	FOR EACH STATEMENT EXECUTE FUNCTION "follow_players"();
