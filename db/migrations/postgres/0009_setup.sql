CREATE TABLE "setup_links" (
	"hash" text COLLATE "C" PRIMARY KEY NOT NULL,
	"expires_at" bigint NOT NULL,
	"browser_hash" text COLLATE "C",
	"browser_expires_at" bigint
);
