CREATE TABLE "api_keys" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"project_id" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"scopes" json NOT NULL,
	"servers" json,
	"prefix" text COLLATE "C" NOT NULL,
	"hash" text COLLATE "C" NOT NULL,
	"previous_hash" text COLLATE "C",
	"previous_expires_at" bigint,
	"created_by" text COLLATE "C",
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL,
	"expires_at" bigint,
	"revoked_at" bigint,
	"last_used_at" bigint
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
	"resolution" json
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
	"metadata" json NOT NULL
);
--> statement-breakpoint
CREATE TABLE "projects" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"slug" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"rate_limit" bigint DEFAULT 100 NOT NULL,
	"max_amount" bigint,
	"allow_volatile" boolean DEFAULT false NOT NULL,
	"disabled" boolean DEFAULT false NOT NULL,
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
	"connected_at" bigint NOT NULL,
	"disconnected_at" bigint,
	"close_code" bigint,
	CONSTRAINT "sessions_pk" PRIMARY KEY("project_id","server_id")
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
CREATE UNIQUE INDEX "commands_id" ON "commands" USING btree ("id");--> statement-breakpoint
CREATE UNIQUE INDEX "commands_idempotency_key" ON "commands" USING btree ("project_id","idempotency_key") WHERE idempotency_key is not null;--> statement-breakpoint
CREATE INDEX "commands_project" ON "commands" USING btree ("project_id","seq");--> statement-breakpoint
CREATE INDEX "commands_dispatched" ON "commands" USING btree ("project_id","server_id","seq") WHERE status = 'dispatched';--> statement-breakpoint
CREATE INDEX "commands_accepted" ON "commands" USING btree ("project_id","expires_at") WHERE status = 'accepted';--> statement-breakpoint
CREATE INDEX "commands_indeterminate" ON "commands" USING btree ("project_id","seq") WHERE status = 'indeterminate';--> statement-breakpoint
CREATE INDEX "commands_keyed" ON "commands" USING btree ("settled_at") WHERE idempotency_key is not null and settled_at is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "players_identifier" ON "players" USING btree ("project_id","identifier","server_id");--> statement-breakpoint
CREATE INDEX "players_online" ON "players" USING btree ("project_id","online","last_seen_at","id");--> statement-breakpoint
CREATE INDEX "players_name" ON "players" USING btree ("project_id","search_text","id");--> statement-breakpoint
CREATE INDEX "players_server_online" ON "players" USING btree ("project_id","server_id","online","last_seen_at","id");--> statement-breakpoint
CREATE INDEX "players_server_name" ON "players" USING btree ("project_id","server_id","search_text","id");--> statement-breakpoint
CREATE UNIQUE INDEX "projects_slug" ON "projects" USING btree ("slug");--> statement-breakpoint
CREATE INDEX "projects_updated" ON "projects" USING btree ("updated_at");--> statement-breakpoint
CREATE UNIQUE INDEX "servers_token_hash" ON "servers" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "servers_previous_token_hash" ON "servers" USING btree ("previous_token_hash");--> statement-breakpoint
CREATE INDEX "servers_updated" ON "servers" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "stray_results_received" ON "stray_results" USING btree ("received_at");