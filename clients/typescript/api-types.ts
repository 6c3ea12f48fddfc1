// Generated from the OpenAPI document by `npm run openapi:types`.
export interface paths {
    "/api/v2/integrations/{id}/tebex": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Webhook of Tebex
         * @description Signed by Tebex in X-Signature. No API key.
         */
        post: operations["receiveTebex"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/integrations/{id}/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Webhook of any other shop
         * @description Signed in X-Causeway-Signature: t=<unix seconds>,v1=<hex HMAC-SHA256 of "t.body" with the secret>. No API key.
         */
        post: operations["receiveOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Status of the API and of its database connections
         * @description Any key will do.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/players": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List and search players
         * @description Needs the scope players:read.
         */
        get: operations["listPlayers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/players/identifiers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All players of a list, by identifier
         * @description At most 10,000: with more hits, 422. Needs the scope players:read.
         */
        get: operations["listPlayerIdentifiers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/players/{identifier}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One player: inventory, vehicles, account balances
         * @description With Cache-Control: no-cache the bridge is asked for a fresh record first. Needs the scope players:read.
         */
        get: operations["getPlayer"];
        put?: never;
        post?: never;
        /**
         * Delete the record of a player, and end what waits for them
         * @description The identifier is their own one. If the game server still has the player, its next report makes a new record. Needs the scope players:write.
         */
        delete: operations["deletePlayer"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/bridge/{serverId}/kick": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Kick a player
         * @description Needs the scope commands:kick.
         */
        post: operations["kick"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/bridge/{serverId}/money": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give or deduct money
         * @description Needs the scope commands:money.
         */
        post: operations["money"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/bridge/{serverId}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give or take items
         * @description Needs the scope commands:items.
         */
        post: operations["items"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/bridge/{serverId}/vehicles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give, take or store a vehicle
         * @description Needs the scope commands:vehicles.
         */
        post: operations["vehicles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/bridge/{serverId}/job": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set the job of a player
         * @description Needs the scope commands:job.
         */
        post: operations["job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/bridge/{serverId}/announce": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show a text to all players, or to some
         * @description The body may have 160 KiB. Needs the scope commands:announce.
         */
        post: operations["announce"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/bridge/{serverId}/message": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show a text to one player
         * @description Needs the scope commands:announce.
         */
        post: operations["message"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/bridge/{serverId}/revive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revive a player
         * @description Needs the scope commands:player.
         */
        post: operations["revive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/bridge/{serverId}/heal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Heal a player
         * @description Needs the scope commands:player.
         */
        post: operations["heal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/bridge/{serverId}/freeze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Freeze a player, or let one move again
         * @description Needs the scope commands:player.
         */
        post: operations["freeze"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/bridge/{serverId}/teleport": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a player
         * @description Needs the scope commands:player.
         */
        post: operations["teleport"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/bridge/{serverId}/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the resources of a game server offer
         * @description Needs the scope commands:custom.
         */
        get: operations["listActions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/bridge/{serverId}/actions/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a custom command
         * @description The body is what the schema of the command says; see GET …/actions. Needs the scope commands:custom.
         */
        post: operations["runAction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/commands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List commands: caller, outcome, times
         * @description Needs the scope commands:read.
         */
        get: operations["listCommands"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/commands/sums": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Money that was given and taken, by person and account
         * @description Needs the scope commands:read.
         */
        get: operations["sumCommands"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/commands.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export commands as CSV
         * @description The newest 10,000 that match. No cell is ever a formula. Needs the scope commands:read.
         */
        get: operations["exportCommands"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/commands/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One command
         * @description Needs the scope commands:read.
         */
        get: operations["getCommand"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/commands/{id}/void": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take back a command that has not started
         * @description Needs the scope commands:resolve.
         */
        post: operations["voidCommand"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/commands/{id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo a command, once
         * @description It needs the scope of the command. Any key will do.
         */
        post: operations["undoCommand"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/commands/{id}/again": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a command again that had no effect
         * @description It needs the scope of the command. Any key will do.
         */
        post: operations["repeatCommand"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/commands/{id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Settle an indeterminate command
         * @description Needs the scope commands:resolve.
         */
        post: operations["resolveCommand"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Batches, the newest first
         * @description Needs the scope commands:read.
         */
        get: operations["listBatches"];
        put?: never;
        /**
         * One command for many players
         * @description It also needs the scope of the command. The body may have 2 MiB. Needs the scope commands:batch.
         */
        post: operations["createBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/batches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One batch, with its commands by status
         * @description Needs the scope commands:read.
         */
        get: operations["getBatch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/batches/{id}/commands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The commands of a batch
         * @description Needs the scope commands:read.
         */
        get: operations["listBatchCommands"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/batches/{id}/commands.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The commands of a batch as CSV
         * @description Needs the scope commands:read.
         */
        get: operations["exportBatch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/batches/{id}/void": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take back the commands of a batch that have not left
         * @description Needs the scope commands:resolve.
         */
        post: operations["voidBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/batches/{id}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Undo a batch that has ended, once
         * @description It also needs the scope of the command. Needs the scope commands:batch.
         */
        post: operations["undoBatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Schedules, the newest first
         * @description Needs the scope commands:read.
         */
        get: operations["listSchedules"];
        put?: never;
        /**
         * Run a command or a batch at a time
         * @description It also needs the scopes of its command, at each run, too. Needs the scope schedules:write.
         */
        post: operations["createSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/schedules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One schedule, with its next times
         * @description Needs the scope commands:read.
         */
        get: operations["getSchedule"];
        put?: never;
        post?: never;
        /**
         * Delete a schedule with its history
         * @description It also needs the scopes of its command. Needs the scope schedules:write.
         */
        delete: operations["deleteSchedule"];
        options?: never;
        head?: never;
        /**
         * Change, pause or resume a schedule
         * @description It also needs the scopes of its command, at each run, too. Needs the scope schedules:write.
         */
        patch: operations["changeSchedule"];
        trace?: never;
    };
    "/api/v2/schedules/{id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The last 100 runs of a schedule
         * @description Needs the scope commands:read.
         */
        get: operations["listScheduleRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/schedules/{id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a schedule now; its planned times stay
         * @description It also needs the scopes of its command, and runs with the rights of your key. Needs the scope schedules:write.
         */
        post: operations["runSchedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/servers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Game servers and their live state
         * @description Needs the scope servers:read.
         */
        get: operations["listServers"];
        put?: never;
        /**
         * Add a game server
         * @description Needs the scope servers:write.
         */
        post: operations["createServer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/servers/{serverId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One game server
         * @description Needs the scope servers:read.
         */
        get: operations["getServer"];
        put?: never;
        post?: never;
        /**
         * Delete a game server with its players; its commands stay in the journal
         * @description Commands that were not sent are taken back. Commands that were sent become indeterminate; if the bridge comes back with its journal, under a server of the same id, it reports how they ended. Needs the scope servers:write.
         */
        delete: operations["deleteServer"];
        options?: never;
        head?: never;
        /**
         * Rename, disable or enable a game server
         * @description Needs the scope servers:write.
         */
        patch: operations["updateServer"];
        trace?: never;
    };
    "/api/v2/servers/{serverId}/deletion": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview a deletion: the commands it would end
         * @description Needs the scope servers:read.
         */
        get: operations["previewServerDeletion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/servers/{serverId}/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the bridge token
         * @description Needs the scope servers:write.
         */
        post: operations["rotateServerToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/servers/{serverId}/items": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Items of a game server
         * @description Needs the scope servers:read.
         */
        get: operations["listItems"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/servers/{serverId}/vehicles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Vehicle models of a game server
         * @description Needs the scope servers:read.
         */
        get: operations["listVehicles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/servers/{serverId}/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Jobs of a game server
         * @description Needs the scope servers:read.
         */
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Your own key, and what its project asks of its staff
         * @description Any key will do.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * API keys of the project
         * @description A key of some servers sees only keys that reach no other server. Needs the scope keys:write.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Create an API key
         * @description Needs the scope keys:write.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key at once
         * @description Needs the scope keys:write.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        /**
         * Change what an API key may do
         * @description Needs the scope keys:write.
         */
        patch: operations["updateKey"];
        trace?: never;
    };
    "/api/v2/keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret of an API key
         * @description Needs the scope keys:write.
         */
        post: operations["rotateKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/integrations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Shops of the project
         * @description Needs the scope integrations:write.
         */
        get: operations["listIntegrations"];
        put?: never;
        /**
         * Connect a shop
         * @description Also needs the scopes of the mapped commands, and access to their server. Needs the scope integrations:write.
         */
        post: operations["createIntegration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/integrations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One shop
         * @description Needs the scope integrations:write.
         */
        get: operations["getIntegration"];
        put?: never;
        post?: never;
        /**
         * Disconnect a shop; packages that were paid are still delivered
         * @description Also needs the scopes of the mapped commands, and access to their server. Needs the scope integrations:write.
         */
        delete: operations["deleteIntegration"];
        options?: never;
        head?: never;
        /**
         * Change a shop, or replace its secret
         * @description Also needs the scopes of the mapped commands, and access to their server. Needs the scope integrations:write.
         */
        patch: operations["updateIntegration"];
        trace?: never;
    };
    "/api/v2/integrations/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What an order would do; stores and sends nothing
         * @description Needs the scope integrations:write.
         */
        post: operations["testIntegration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/integrations/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The last hundred webhooks of a shop
         * @description Needs the scope integrations:write.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/integrations/{id}/unmatched": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a member of the staff has to decide
         * @description Needs the scope integrations:write.
         */
        get: operations["listUnmatched"];
        put?: never;
        /**
         * Decide lines of one order and one buyer together, each by itself
         * @description A gift and its undo also need the scope of the command, and access to its server. Needs the scope integrations:write.
         */
        post: operations["decideLines"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/integrations/{id}/decided": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the staff has decided in the last 30 days
         * @description Needs the scope integrations:write.
         */
        get: operations["listDecided"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/integrations/{id}/unmatched/{lineId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a line to a player, take it off the list, or take that back
         * @description A gift and its undo also need the scope of the command, and access to its server. Needs the scope integrations:write.
         */
        post: operations["decideUnmatched"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Webhooks of the project
         * @description Needs the scope webhooks:write.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Send events to an address
         * @description Needs the scope webhooks:write and commands:read.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One webhook
         * @description Needs the scope webhooks:write.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook with its deliveries
         * @description Needs the scope webhooks:write.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook, or switch it on or off
         * @description Needs the scope webhooks:write and commands:read.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/api/v2/webhooks/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A new secret; the one before also signs for 24 hours
         * @description Needs the scope webhooks:write.
         */
        post: operations["rotateWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event of the type webhook.test now
         * @description Needs the scope webhooks:write.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What was sent to a webhook
         * @description Needs the scope webhooks:write.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/webhooks/{id}/deliveries/{eventId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event again
         * @description Needs the scope webhooks:write.
         */
        post: operations["retryWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send all events since a time again, with their ids
         * @description Needs the scope webhooks:write.
         */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/project": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Name, limit, usage in this window, totals
         * @description Any key will do.
         */
        get: operations["getProject"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change what the project calls itself and asks of its staff
         * @description A key of some servers cannot. Needs the scope project:write.
         */
        patch: operations["changeProject"];
        trace?: never;
    };
    "/api/v2/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Live events (server-sent events)
         * @description Each event has an id, a type and one JSON document: player.joined, player.left, player.removed, player.balance, players.synced, bridge.connected, bridge.disconnected, batch.progress, catalogue.changed, integration.delivery, integration.unmatched, command.settled, command.waiting, command.indeterminate, batch.settled, schedule.run, schedule.refused, schedule.paused, shop.line.unmatched, shop.line.delivered, server.offline, server.online, player.first_seen, webhook.off. Reconnect with Last-Event-ID; the type missed means that events were lost and state must be read again. Needs the scope players:read and commands:read.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/panel/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The current user and their permissions
         * @description Any key will do.
         */
        get: operations["getPanelSession"];
        put?: never;
        /**
         * Exchange the key for a cookie of the panel
         * @description The cookie opens this API for pages of this hub only; it ends after 12 idle hours, and with its key. Any key will do.
         */
        post: operations["signIn"];
        /**
         * End the session of the panel
         * @description Any key will do.
         */
        delete: operations["signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v2/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Players online and outcomes of commands over time
         * @description A point for each five minutes in which a bridge was connected or a command ended; with range, for each bucket of it. Needs the scope servers:read.
         */
        get: operations["getStatistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        Receipt: {
            /**
             * @description What the hub did with it.
             * @enum {string}
             */
            outcome?: "stored" | "duplicate" | "blocked" | "refunded" | "partial_refund" | "marked" | "validated" | "ignored" | "invalid";
            /** @description With a validation: the id that was sent. */
            id?: string;
        };
        Problem: {
            /** @example /docs/errors#player_offline */
            type: string;
            title: string;
            status: number;
            detail: string;
            /** @description Absent if the path of the request is unknown. */
            instance?: string;
            /** @enum {string} */
            code: "malformed_http" | "request_timeout" | "expectation_failed" | "headers_too_large" | "malformed_json" | "missing_api_key" | "invalid_api_key" | "signed_out" | "insufficient_scope" | "server_not_allowed" | "above_ceiling" | "not_found" | "server_not_found" | "player_not_found" | "schedule_not_found" | "batch_not_found" | "command_not_found" | "key_not_found" | "integration_not_found" | "webhook_not_found" | "delivery_not_found" | "line_not_found" | "invalid_signature" | "already_decided" | "method_not_allowed" | "player_ambiguous" | "player_offline" | "insufficient_funds" | "reason_required" | "unknown_item" | "inventory_full" | "too_heavy" | "not_enough_items" | "inventory_locked" | "unknown_model" | "plate_taken" | "vehicle_not_found" | "vehicle_out" | "unknown_job" | "unknown_grade" | "refused" | "voided" | "expired" | "indeterminate" | "invalid_state" | "not_settled" | "nothing_to_undo" | "no_opposite" | "already_sent" | "not_repeatable" | "last_admin_key" | "setup_link_gone" | "setup_not_private" | "already_exists" | "quota_exceeded" | "payload_too_large" | "unsupported_media_type" | "invalid_request" | "idempotency_mismatch" | "rate_limited" | "internal_error" | "action_not_found" | "unsupported" | "journal_required" | "bridge_error" | "bridge_offline" | "waiting_full" | "bridge_busy" | "commands_not_known_yet" | "server_restarting" | "unsupported_protocol" | "invalid_token" | "origin_not_allowed" | "node_full" | "server_disabled" | "draining" | "store_unavailable" | "routing_unavailable" | "bridge_timeout";
            requestId: string;
            /**
             * @description Whether the command took effect.
             * @enum {string}
             */
            executed: "yes" | "no" | "unknown";
            retryable: boolean;
            errors?: {
                pointer: string;
                detail: string;
            }[];
            command?: {
                id: string;
                /** @enum {string} */
                status: "waiting" | "accepted" | "dispatched" | "succeeded" | "failed" | "rejected" | "voided" | "expired" | "indeterminate" | "resolved_applied" | "resolved_not_applied";
            };
            /** @description With insufficient_funds: the balance of the account. */
            balance?: number;
            /** @description With inventory_full, too_heavy: how many of the item fit. */
            fits?: number;
            /** @description With not_enough_items: how many the player has. */
            count?: number;
            /** @description With waiting_full: the bound that is reached. bytes: that of the parameters of all commands that wait in the project. */
            waiting?: {
                /** @enum {string} */
                of: "player" | "server" | "project" | "bytes";
                most: number;
            };
            /** @description With player_ambiguous and a key with players:read: the players that may be meant, up to 20. */
            players?: {
                identifier: string;
                name: string;
                online: boolean;
            }[];
        };
        TebexWebhook: Record<string, never>;
        ShopOrder: {
            /**
             * @description Of the order, the same in every repeat.
             * @example order-1001
             */
            id: number | string;
            /** @enum {string} */
            type: "paid" | "refunded";
            /**
             * @default null
             * @example fivem:1234567
             */
            buyer?: string | null;
            /** @description Needed with paid. With refunded: what is refunded; absent: everything. */
            packages?: {
                id: number | string;
                /** @default 1 */
                quantity?: number;
                /**
                 * @description A text for the staff, cut after 128 characters.
                 * @example VIP
                 */
                name?: unknown;
            }[];
        };
        Health: {
            /** @enum {string} */
            status: "pass" | "warn" | "fail";
            api: {
                /** @enum {string} */
                status: "pass" | "warn" | "fail";
                version: string;
                uptimeSeconds: number;
                node: string;
            };
            databases: {
                /** @example hub */
                name: string;
                /** @example sqlite */
                engine: string;
                /** @enum {string} */
                status: "pass" | "warn" | "fail";
                latencyMs: number | null;
                /**
                 * Format: date-time
                 * @example 2026-11-20T11:59:58.120Z
                 */
                reportedAt?: string;
            }[];
            bus: {
                engine: string;
                /** @enum {string} */
                status: "pass" | "warn" | "fail";
            };
            bridges: {
                connected: number;
                total: number;
            };
            /** @description The regular backups of this hub; absent without BACKUP_FOLDER. */
            backup?: {
                /** @enum {string} */
                status: "pass" | "warn";
                /**
                 * Format: date-time
                 * @description When the last good backup was made; null: none yet.
                 * @example 2026-11-20T11:59:58.120Z
                 */
                lastGoodAt: string | null;
                /** @description What is wrong, and the action to take. */
                detail: string | null;
            };
        };
        PlayerSummary: {
            identifier: string;
            name: string;
            serverId: string;
            online: boolean;
            identifiers: string[];
            /**
             * @example {
             *       "bank": 5000,
             *       "cash": 120
             *     }
             */
            accounts: {
                [key: string]: number;
            };
            job: {
                name: string;
                /** @description Of the bridge, else of its catalogue of jobs, else the name. */
                label: string;
                grade: number | null;
                /** @description Of the catalogue of jobs; null: it has none. */
                gradeLabel: string | null;
            } | null;
            group: string | null;
            playedMinutes: number | null;
            /** @description The number that the game shows beside an online player. */
            gameId: number | null;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            firstSeenAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            lastSeenAt: string;
        };
        PlayerIdentifiers: {
            data: {
                serverId: string;
                identifier: string;
            }[];
            total: number;
        };
        Player: components["schemas"]["PlayerSummary"] & {
            inventory: {
                slot: number;
                name: string;
                label: string;
                count: number;
                metadata: {
                    [key: string]: unknown;
                };
            }[];
            vehicles: {
                plate: string;
                model: string;
                label: string;
                stored: boolean;
                garage: string | null;
                metadata: {
                    [key: string]: unknown;
                };
            }[];
            metadata: {
                [key: string]: unknown;
            };
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            syncedAt: string;
            /**
             * Format: date-time
             * @description When the game server was first found to have this player no more; null: it has them.
             * @example 2026-11-20T11:59:58.120Z
             */
            goneAt: string | null;
            alsoOn: string[];
            /** @description Other players who carry the linked identifier that was asked for, up to 20. */
            alsoKnown: {
                identifier: string;
                name: string;
                serverId: string;
                online: boolean;
            }[];
        };
        Command: {
            /** @example cmd_01j9z3k7v8 */
            id: string;
            name: string;
            serverId: string;
            target: string | null;
            /** @description In the journal, for keys with players:read: the current name of the player; absent: no such player. */
            targetName?: string;
            /** @enum {string} */
            status: "waiting" | "accepted" | "dispatched" | "succeeded" | "failed" | "rejected" | "voided" | "expired" | "indeterminate" | "resolved_applied" | "resolved_not_applied";
            /**
             * @description Whether the command took effect.
             * @enum {string}
             */
            executed: "yes" | "no" | "unknown";
            /**
             * @description While it waits: the first obstacle.
             * @enum {string}
             */
            waitingFor?: "server" | "player";
            /**
             * @description What it may wait for; absent: it does not wait.
             * @enum {string}
             */
            deliver?: "when_connected" | "when_online";
            params: {
                [key: string]: unknown;
            };
            roles?: components["schemas"]["CustomRoles"];
            /** @description Of money: account, before and after; of items: item, before and after. applied is how much was moved, if not all. */
            result: {
                [key: string]: unknown;
            } | null;
            error?: {
                code: string;
                message: string;
                /** @description reported is the data of a result that does not fit the order. */
                details?: {
                    [key: string]: unknown;
                };
            };
            /** @description Of money that became indeterminate: the balance that the hub knew then, as the game server reported it at that time. If it is before dispatchedAt, it is the balance before the command. */
            knownBalance?: {
                account: string;
                balance: number;
                /**
                 * Format: date-time
                 * @example 2026-11-20T11:59:58.120Z
                 */
                at: string;
            };
            /** @description A command that takes the effect back, without target and reason; absent: there is none. */
            opposite?: {
                /** @enum {string} */
                name: "money" | "items" | "vehicles" | "job";
                params: {
                    [key: string]: unknown;
                };
            };
            /** @description In the journal: the last command that was to undo this one. It is undone if executed is yes. */
            undoneBy?: {
                id: string;
                /** @enum {string} */
                status: "waiting" | "accepted" | "dispatched" | "succeeded" | "failed" | "rejected" | "voided" | "expired" | "indeterminate" | "resolved_applied" | "resolved_not_applied";
                /**
                 * @description Whether the command took effect.
                 * @enum {string}
                 */
                executed: "yes" | "no" | "unknown";
            };
            /** @description The command whose opposite this one is. */
            undoes?: string;
            /** @description The command without effect that this one does again; of several tries, the first. */
            repeats?: string;
            actor: {
                keyId: string;
                name: string;
            };
            /** @description In the journal, of a shop: who of the staff gave it; absent after it was taken back. */
            decidedBy?: {
                keyId: string;
                name: string;
            };
            requestId: string;
            /** @description The batch that made this command; absent: none. */
            batchId?: string;
            attempts: number;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            expiresAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            dispatchedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            settledAt: string | null;
            /** @description How an operator resolved an indeterminate command. */
            resolution?: {
                applied: boolean;
                note: string;
                actor: {
                    keyId: string;
                    name: string;
                };
                /**
                 * Format: date-time
                 * @example 2026-11-20T11:59:58.120Z
                 */
                at: string;
            };
        };
        /**
         * @description What parameters of a custom command mean: the name of the parameter for each role.
         * @example {
         *       "player": "target",
         *       "item": "item",
         *       "amount": "count",
         *       "reason": "note",
         *       "reasonRequired": true
         *     }
         */
        CustomRoles: {
            /** @description Money; if there is an item, a count of it. */
            amount?: string;
            item?: string;
            /** @description The target; without it, the parameter target. */
            player?: string;
            reason?: string;
            /** @description The command is refused without a reason. */
            reasonRequired?: boolean;
        };
        PendingCommand: components["schemas"]["Command"] & {
            /** @enum {string} */
            code: "accepted" | "waiting" | "in_doubt";
            retryable: boolean;
            command: {
                id: string;
                /** @enum {string} */
                status: "waiting" | "accepted" | "dispatched" | "succeeded" | "failed" | "rejected" | "voided" | "expired" | "indeterminate" | "resolved_applied" | "resolved_not_applied";
            };
        };
        Kick: {
            /** @example char1:5f3a9c */
            target: string;
            /** @description Empty or null: none. */
            reason?: string | null;
            /** @description How long the command may still be sent; default 30 for money, items, vehicles and job, else 10. */
            expiresInSeconds?: number;
        };
        Money: {
            /** @example char1:5f3a9c */
            target: string;
            /** @example bank */
            type: string;
            /** @example 500 */
            amount: number;
            /** @enum {string} */
            action: "add" | "remove" | "deduct";
            /** @description Empty or null: none. */
            reason?: string | null;
            /** @default false */
            allowNegative?: boolean;
            /**
             * @description when_connected waits for the game server, when_online also for the player. The answer is then 202 with the status waiting.
             * @default now
             * @enum {string}
             */
            deliver?: "now" | "when_connected" | "when_online";
            /** @description How long it may still be sent: at most 3600, by default 30; with deliver at most 2592000, by default 604800. */
            expiresInSeconds?: number;
        };
        Items: {
            /** @example char1:5f3a9c */
            target: string;
            /** @example bread */
            item: string;
            /** @example 3 */
            count: number;
            /** @enum {string} */
            action: "add" | "remove";
            /** @description Only stacks with exactly these metadata; absent: all stacks of the item. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @default false */
            allowPartial?: boolean;
            /** @description Empty or null: none. */
            reason?: string | null;
            /**
             * @description when_connected waits for the game server, when_online also for the player. The answer is then 202 with the status waiting.
             * @default now
             * @enum {string}
             */
            deliver?: "now" | "when_connected" | "when_online";
            /** @description How long it may still be sent: at most 3600, by default 30; with deliver at most 2592000, by default 604800. */
            expiresInSeconds?: number;
        };
        /**
         * @example {
         *       "target": "char1:5f3a9c",
         *       "action": "give",
         *       "model": "adder",
         *       "reason": "Lottery"
         *     }
         */
        Vehicles: {
            /** @example char1:5f3a9c */
            target: string;
            /** @enum {string} */
            action: "give" | "take" | "store";
            /**
             * @description With give, and only there.
             * @example adder
             */
            model?: string;
            /**
             * @description Needed but for give, where the game makes one up.
             * @example ABC 123
             */
            plate?: string;
            garage?: string;
            /** @description Only stacks with exactly these metadata; absent: all stacks of the item. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description Empty or null: none. */
            reason?: string | null;
            /**
             * @description when_connected waits for the game server, when_online also for the player. The answer is then 202 with the status waiting.
             * @default now
             * @enum {string}
             */
            deliver?: "now" | "when_connected" | "when_online";
            /** @description How long it may still be sent: at most 3600, by default 30; with deliver at most 2592000, by default 604800. */
            expiresInSeconds?: number;
        };
        Job: {
            /** @example char1:5f3a9c */
            target: string;
            /** @example police */
            job: string;
            /** @example 2 */
            grade: number;
            /** @description Empty or null: none. */
            reason?: string | null;
            /**
             * @description when_connected waits for the game server, when_online also for the player. The answer is then 202 with the status waiting.
             * @default now
             * @enum {string}
             */
            deliver?: "now" | "when_connected" | "when_online";
            /** @description How long it may still be sent: at most 3600, by default 30; with deliver at most 2592000, by default 604800. */
            expiresInSeconds?: number;
        };
        Announce: {
            message: string;
            /** @description Only these players, by their own identifiers. Those who are not online are skipped. */
            targets?: string[];
            /** @description How long the command may still be sent; default 30 for money, items, vehicles and job, else 10. */
            expiresInSeconds?: number;
        };
        Message: {
            /** @example char1:5f3a9c */
            target: string;
            message: string;
            /** @description How long the command may still be sent; default 30 for money, items, vehicles and job, else 10. */
            expiresInSeconds?: number;
        };
        Revive: {
            /** @example char1:5f3a9c */
            target: string;
            /** @description Empty or null: none. */
            reason?: string | null;
            /** @description How long the command may still be sent; default 30 for money, items, vehicles and job, else 10. */
            expiresInSeconds?: number;
        };
        Heal: {
            /** @example char1:5f3a9c */
            target: string;
            /** @description Empty or null: none. */
            reason?: string | null;
            /** @description How long the command may still be sent; default 30 for money, items, vehicles and job, else 10. */
            expiresInSeconds?: number;
        };
        Freeze: {
            /** @example char1:5f3a9c */
            target: string;
            frozen: boolean;
            /** @description Empty or null: none. */
            reason?: string | null;
            /** @description How long the command may still be sent; default 30 for money, items, vehicles and job, else 10. */
            expiresInSeconds?: number;
        };
        Teleport: {
            /** @example char1:5f3a9c */
            target: string;
            /**
             * @example {
             *       "x": 1,
             *       "y": 2,
             *       "z": 3
             *     }
             */
            to: {
                /** @example char1:5f3a9c */
                player: string;
            } | {
                x: number;
                y: number;
                z: number;
            };
            /** @description Empty or null: none. */
            reason?: string | null;
            /** @description How long the command may still be sent; default 30 for money, items, vehicles and job, else 10. */
            expiresInSeconds?: number;
        };
        Action: {
            /** @example revive */
            name: string;
            description: string;
            /** @description A JSON Schema of the body to send. */
            params: {
                [key: string]: unknown;
            };
            roles?: components["schemas"]["CustomRoles"];
        };
        ActionParams: Record<string, never>;
        CommandSums: {
            data: {
                actor: {
                    keyId: string;
                    name: string;
                };
                /** @example bank */
                account: string;
                given: number;
                taken: number;
                commands: number;
            }[];
            /**
             * Format: date-time
             * @description Only the newest 100,000 payments are counted, made at that time or later; null: all that match.
             * @example 2026-11-20T11:59:58.120Z
             */
            since: string | null;
        };
        Undo: {
            /** @description Absent: the id of what is undone. */
            reason?: string;
        };
        Resolution: {
            applied: boolean;
            note: string;
        };
        BatchDryRun: {
            /** @enum {boolean} */
            dryRun: true;
            targets: number;
            duplicates: number;
            /** @description Players that the server does not have. */
            unknown: string[];
            /** @description The sum that it would move; without unknown players. */
            money?: number;
        };
        Batch: {
            /** @example bat_01j9z3k7v8 */
            id: string;
            serverId: string;
            /** @example money */
            name: string;
            params: {
                [key: string]: unknown;
            };
            label: string | null;
            /** @enum {string} */
            deliver: "now" | "when_connected" | "when_online";
            /** @enum {string} */
            status: "writing" | "running" | "settled";
            /** @enum {string|null} */
            endedBy: "voided" | "aborted" | null;
            /** @description Players, each once. */
            total: number;
            /** @description Players that were listed more than once. */
            duplicates: number;
            /** @description Commands by status. */
            counts: {
                waiting?: number;
                accepted?: number;
                dispatched?: number;
                succeeded?: number;
                failed?: number;
                rejected?: number;
                voided?: number;
                expired?: number;
                indeterminate?: number;
                resolved_applied?: number;
                resolved_not_applied?: number;
            };
            /** @description The batch that undoes this one. */
            undoneBy?: {
                id: string;
                /** @enum {string} */
                status: "writing" | "running" | "settled";
            };
            /** @description The batch that this one undoes; params is its reason. */
            undoes?: string;
            actor: {
                keyId: string;
                name: string;
            };
            requestId: string;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            expiresAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            settledAt: string | null;
        };
        /**
         * @example {
         *       "serverId": "main",
         *       "name": "money",
         *       "params": {
         *         "type": "bank",
         *         "amount": 500,
         *         "action": "add"
         *       },
         *       "targets": [
         *         "char1:5f3a9c"
         *       ],
         *       "label": "Christmas"
         *     }
         */
        BatchRequest: {
            serverId: string;
            /** @example money */
            name: string;
            /** @description As in the body of the command, without target. */
            params: {
                [key: string]: unknown;
            };
            targets: string[] | {
                /** @enum {boolean} */
                online?: true;
                /** @description The name of their job, exactly. */
                job?: string;
                /** @description The name of their group, exactly. */
                group?: string;
            };
            label?: string;
            /**
             * @description when_connected waits for the game server, when_online also for the player. The answer is then 202 with the status waiting.
             * @default now
             * @enum {string}
             */
            deliver?: "now" | "when_connected" | "when_online";
            /** @description How long it may still be sent: at most 3600, by default 30; with deliver at most 2592000, by default 604800. */
            expiresInSeconds?: number;
            /** @default false */
            dryRun?: boolean;
            /** @description Ends the batch when more than this share of its ended commands had no effect. */
            abort?: {
                failedPercent: number;
                after: number;
            };
        };
        BatchUndoDryRun: {
            /** @enum {boolean} */
            dryRun: true;
            /** @description Commands that it would undo. */
            undo: number;
            /** @description Undone already. */
            undone: number;
            /** @description Their undo has not ended. */
            open: number;
            /** @description They are indeterminate, or their undo is. */
            inDoubt: number;
            /** @description Nothing takes their effect back. */
            noOpposite: number;
            withoutEffect: number;
            /** @description The sum that it would move. */
            money?: number;
        };
        BatchUndo: {
            /** @description Absent: the id of what is undone. */
            reason?: string;
            /** @default false */
            dryRun?: boolean;
        };
        ScheduleDryRun: {
            /** @enum {boolean} */
            dryRun: true;
            /** @description The next five times; none before a restart. */
            next: string[];
            /** @description Why a run would be refused as things are now, other than for reasons of the moment. */
            problem: {
                code: string;
                message: string;
            } | null;
        };
        Schedule: {
            /** @example sch_01j9z3k7v8 */
            id: string;
            serverId: string;
            label: string;
            task: {
                [key: string]: unknown;
            };
            when: {
                [key: string]: unknown;
            };
            /** @enum {string} */
            missed: "skip" | "run_once";
            paused: boolean;
            /** @description Why the hub paused it. */
            pausedBy: string | null;
            /** @description The next five times. */
            next: string[];
            /** @description Why each run is refused, as far as its key and its bounds tell. */
            problem: {
                code: string;
                message: string;
            } | null;
            /** @description Of one schedule, with players:read: the names of its players, by identifier. */
            targetNames?: {
                [key: string]: string;
            };
            actor: {
                keyId: string;
                name: string;
            };
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            createdAt: string;
        };
        /**
         * @example {
         *       "serverId": "main",
         *       "label": "Salary",
         *       "when": {
         *         "cron": "0 0 1 * *",
         *         "timeZone": "Europe/Berlin"
         *       },
         *       "task": {
         *         "name": "money",
         *         "params": {
         *           "target": "char1:5f3a9c",
         *           "type": "bank",
         *           "amount": 2000,
         *           "action": "add"
         *         }
         *       }
         *     }
         */
        ScheduleRequest: {
            serverId: string;
            label: string;
            task: {
                /** @example money */
                name: string;
                /** @description The body of the command; without target if there are targets. */
                params: {
                    [key: string]: unknown;
                };
                /** @description Makes it a batch. A list has at most 1,000 players; who matches is read at each run. */
                targets?: string[] | {
                    /** @enum {boolean} */
                    online?: true;
                    /** @description The name of their job, exactly. */
                    job?: string;
                    /** @description The name of their group, exactly. */
                    group?: string;
                };
                /**
                 * @description when_connected waits for the game server, when_online also for the player. The answer is then 202 with the status waiting.
                 * @default now
                 * @enum {string}
                 */
                deliver?: "now" | "when_connected" | "when_online";
                /** @description How long it may still be sent: at most 3600, by default 30; with deliver at most 2592000, by default 604800. */
                expiresInSeconds?: number;
                abort?: {
                    failedPercent: number;
                    after: number;
                };
            };
            /**
             * @example {
             *       "cron": "0 18 * * 5",
             *       "timeZone": "Europe/Berlin"
             *     }
             */
            when: {
                /** Format: date-time */
                at: string;
            } | {
                cron: string;
                /** @default UTC */
                timeZone?: string;
            } | {
                /** @enum {string} */
                before: "restart";
                minutes: number;
            };
            /**
             * @description What happens to runs while no hub ran.
             * @default skip
             * @enum {string}
             */
            missed?: "skip" | "run_once";
            /** @default false */
            dryRun?: boolean;
        };
        ScheduleRun: {
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            plannedAt: string;
            /** @enum {string} */
            status: "started" | "done" | "refused" | "missed";
            /** @description The id of the command or the batch. */
            made: string | null;
            error: {
                code: string;
                message: string;
            } | null;
        };
        /**
         * @example {
         *       "paused": true
         *     }
         */
        SchedulePatch: {
            label?: string;
            task?: {
                /** @example money */
                name: string;
                /** @description The body of the command; without target if there are targets. */
                params: {
                    [key: string]: unknown;
                };
                /** @description Makes it a batch. A list has at most 1,000 players; who matches is read at each run. */
                targets?: string[] | {
                    /** @enum {boolean} */
                    online?: true;
                    /** @description The name of their job, exactly. */
                    job?: string;
                    /** @description The name of their group, exactly. */
                    group?: string;
                };
                /**
                 * @description when_connected waits for the game server, when_online also for the player. The answer is then 202 with the status waiting.
                 * @default now
                 * @enum {string}
                 */
                deliver?: "now" | "when_connected" | "when_online";
                /** @description How long it may still be sent: at most 3600, by default 30; with deliver at most 2592000, by default 604800. */
                expiresInSeconds?: number;
                abort?: {
                    failedPercent: number;
                    after: number;
                };
            };
            /**
             * @example {
             *       "cron": "0 18 * * 5",
             *       "timeZone": "Europe/Berlin"
             *     }
             */
            when?: {
                /** Format: date-time */
                at: string;
            } | {
                cron: string;
                /** @default UTC */
                timeZone?: string;
            } | {
                /** @enum {string} */
                before: "restart";
                minutes: number;
            };
            /** @enum {string} */
            missed?: "skip" | "run_once";
            paused?: boolean;
        };
        ScheduleRunNow: {
            /**
             * @description The id of the command or the batch.
             * @example cmd_75a185
             */
            made: string;
        };
        Server: {
            serverId: string;
            name: string;
            disabled: boolean;
            /** @description Its deletion has begun and ends in a moment. */
            deleting: boolean;
            connected: boolean;
            tokenPrefix: string;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            createdAt: string;
            /** @description What the bridge reported of itself; null while it is not connected. */
            bridge: {
                software: {
                    [key: string]: unknown;
                };
                commands: string[];
                /** @description See GET /api/v2/bridge/{serverId}/actions. */
                customCommands: string[];
                accounts: string[];
                journalClass: string;
                /** @description The class of single commands (items@1: saved), where it is not journalClass. */
                classes: {
                    [key: string]: string;
                };
                /**
                 * Format: date-time
                 * @example 2026-11-20T11:59:58.120Z
                 */
                connectedAt: string;
                draining: boolean;
                players?: {
                    online: number;
                    max?: number;
                };
                database?: {
                    engine: string;
                    status: string;
                    latencyMs?: number;
                };
                tickMs?: number;
                /** @description How long it took to answer the hub's last ping. */
                pingMs?: number;
            } | null;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            lastConnectedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            lastDisconnectedAt: string | null;
            /**
             * Format: date-time
             * @description When a bridge last came to this node with a wrong token that begins with `tokenPrefix`; null: not in ten minutes.
             * @example 2026-11-20T11:59:58.120Z
             */
            tokenRefusedAt: string | null;
        };
        NewServer: {
            serverId: string;
            name?: string;
        };
        ServerChange: {
            name?: string;
            disabled?: boolean;
        };
        ServerDeletion: {
            /** @description Commands that were not sent; a deletion takes them back. */
            waiting: number;
            /** @description Commands without an outcome; a deletion makes them indeterminate. */
            sent: number;
        };
        BridgeToken: {
            serverId: string;
            /**
             * @description Shown once.
             * @example cwb_…
             */
            token: string;
        };
        Rotation: {
            /** @default 0 */
            graceSeconds?: number;
        };
        CataloguePage: {
            data: components["schemas"]["CatalogueEntry"][];
            pagination: {
                limit: number;
                next: string | null;
            };
            /**
             * Format: date-time
             * @description null: the bridge has never sent this catalogue.
             * @example 2026-11-20T11:59:58.120Z
             */
            syncedAt: string | null;
        };
        CatalogueEntry: {
            /**
             * @description What commands take.
             * @example gold_bar
             */
            name: string;
            /**
             * @description For people.
             * @example Gold bar
             */
            label: string;
            /** @description Of jobs only. */
            grades?: {
                grade: number;
                label: string;
            }[];
        };
        Me: components["schemas"]["ApiKey"] & {
            /** @description What the project asks of its staff: see GET /api/v2/project. */
            project: {
                slug: string;
                name: string;
                language: string | null;
                confirmAbove: number;
                reasonFor: string[];
                maxAmount: number | null;
                maxBatchTotal: number | null;
            };
        };
        ApiKey: {
            id: string;
            name: string;
            /** @example cw_live_Ab3d */
            prefix: string;
            scopes: string[];
            /** @description null: every server of the project. */
            servers: string[] | null;
            /** @description Players in one batch; null: the bound of the project. */
            maxBatchTargets: number | null;
            /** @description Money that one batch may move; null: the bound of the project. */
            maxBatchTotal: number | null;
            /** @description Requests in any 60 seconds, within the project's; null: only the limit of the project. */
            rateLimit: number | null;
            createdBy: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            expiresAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            revokedAt: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            lastUsedAt: string | null;
        };
        NewApiKey: components["schemas"]["ApiKey"] & {
            /**
             * @description Shown once.
             * @example cw_live_…
             */
            key: string;
        };
        NewKey: {
            name: string;
            scopes: ("players:read" | "players:write" | "commands:kick" | "commands:money" | "commands:items" | "commands:vehicles" | "commands:job" | "commands:announce" | "commands:player" | "commands:custom" | "commands:batch" | "commands:read" | "commands:resolve" | "schedules:write" | "servers:read" | "servers:write" | "keys:write" | "integrations:write" | "webhooks:write" | "project:write")[];
            /** @default null */
            servers?: string[] | null;
            /**
             * Format: date-time
             * @default null
             */
            expiresAt?: string | null;
            /** @description Absent: that of your own key. */
            maxBatchTargets?: number | null;
            /** @description Absent: that of your own key. */
            maxBatchTotal?: number | null;
            /** @description Absent: that of your own key. */
            rateLimit?: number | null;
        };
        KeyChange: {
            name?: string;
            scopes?: ("players:read" | "players:write" | "commands:kick" | "commands:money" | "commands:items" | "commands:vehicles" | "commands:job" | "commands:announce" | "commands:player" | "commands:custom" | "commands:batch" | "commands:read" | "commands:resolve" | "schedules:write" | "servers:read" | "servers:write" | "keys:write" | "integrations:write" | "webhooks:write" | "project:write")[];
            servers?: string[] | null;
            /**
             * Format: date-time
             * @description null: never.
             */
            expiresAt?: string | null;
            maxBatchTargets?: number | null;
            maxBatchTotal?: number | null;
            rateLimit?: number | null;
        };
        KeyRotation: {
            /** @description Absent: 0; for your own key, the old secret works until the new one is used. */
            graceSeconds?: number;
        };
        Integration: {
            /** @example int_01j9z3k7v8 */
            id: string;
            /** @enum {string} */
            kind: "tebex" | "orders";
            name: string;
            serverId: string;
            /** @description The address for the webhooks of the shop. */
            url: string;
            identifierKind: string | null;
            /** @description By the id of the package in the shop: money, items, vehicles, job or custom:<name>, each with its parameters but without a target. */
            packages: {
                [key: string]: {
                    name: string;
                    params: {
                        [key: string]: unknown;
                    };
                }[];
            };
            maxAmount: number | null;
            maxDaily: number | null;
            /** @description The key that chose the commands. */
            maker: {
                keyId: string;
                name: string;
            };
            /**
             * Format: date-time
             * @description null: only one secret is valid.
             * @example 2026-11-20T11:59:58.120Z
             */
            previousSecretEndsAt: string | null;
            /** @description Lines that a member of the staff has to decide. */
            unmatched: number;
            /** @description Refused webhooks of this node since its start. */
            wrongSignatures: {
                count: number;
                /**
                 * Format: date-time
                 * @example 2026-11-20T11:59:58.120Z
                 */
                lastAt: string | null;
            };
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            updatedAt: string;
        };
        /**
         * @example {
         *       "kind": "orders",
         *       "name": "Web shop",
         *       "secret": "a-long-secret-of-the-shop",
         *       "serverId": "main",
         *       "packages": {}
         *     }
         */
        NewIntegration: {
            /** @enum {string} */
            kind: "tebex" | "orders";
            name: string;
            /**
             * @description Never shown again.
             * @example a-long-secret-of-the-shop
             */
            secret: string;
            /** @example main */
            serverId: string;
            /** @description By the id of the package in the shop: money, items, vehicles, job or custom:<name>, each with its parameters but without a target. */
            packages: {
                [key: string]: {
                    name: string;
                    params: {
                        [key: string]: unknown;
                    };
                }[];
            };
            /**
             * @description The kind of identifier that the shop sends. null: the hub tries all kinds.
             * @default null
             * @example fivem
             */
            identifierKind?: string | null;
            /**
             * @description Largest amount of one money command.
             * @default null
             */
            maxAmount?: number | null;
            /**
             * @description Money that it may give in one day (UTC).
             * @default null
             */
            maxDaily?: number | null;
        };
        /**
         * @example {
         *       "name": "Web shop"
         *     }
         */
        IntegrationChange: {
            name?: string;
            /** @example main */
            serverId?: string;
            /** @description By the id of the package in the shop: money, items, vehicles, job or custom:<name>, each with its parameters but without a target. */
            packages?: {
                [key: string]: {
                    name: string;
                    params: {
                        [key: string]: unknown;
                    };
                }[];
            };
            /**
             * @description The kind of identifier that the shop sends. null: the hub tries all kinds.
             * @example fivem
             */
            identifierKind?: string | null;
            maxAmount?: number | null;
            maxDaily?: number | null;
            /**
             * @description Never shown again.
             * @example a-long-secret-of-the-shop
             */
            secret?: string;
            /**
             * @description How long the secret before stays valid.
             * @default 0
             */
            graceSeconds?: number;
        };
        OrderPreview: {
            package: string;
            number: number;
            name: string | null;
            params: {
                [key: string]: unknown;
            } | null;
            /** @description Shown to keys with players:read. */
            target: string | null;
            /** @description null: the command would be made now. bridge_offline: it would wait. */
            problem: string | null;
            detail: string | null;
            /** @description Doubts that do not stop the order: the game server decides. */
            hints: {
                /** @example unknown_item */
                code: string;
                detail: string;
            }[];
        };
        /**
         * @example {
         *       "buyer": "fivem:1234567",
         *       "packages": [
         *         {
         *           "id": "vip",
         *           "quantity": 1
         *         }
         *       ]
         *     }
         */
        OrderTest: {
            /** @default null */
            buyer?: string | null;
            packages: {
                id: number | string;
                /** @default 1 */
                quantity?: number;
            }[];
            /**
             * @description Tried instead of what is stored; as in a change of the integration.
             * @default {}
             */
            change?: {
                /** @example main */
                serverId?: string;
                /** @description By the id of the package in the shop: money, items, vehicles, job or custom:<name>, each with its parameters but without a target. */
                packages?: {
                    [key: string]: {
                        name: string;
                        params: {
                            [key: string]: unknown;
                        };
                    }[];
                };
                /**
                 * @description The kind of identifier that the shop sends. null: the hub tries all kinds.
                 * @example fivem
                 */
                identifierKind?: string | null;
                maxAmount?: number | null;
                maxDaily?: number | null;
            };
        };
        Delivery: {
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            receivedAt: string;
            /** @example payment.completed */
            type: string;
            transaction: string | null;
            /** @enum {string} */
            outcome: "stored" | "duplicate" | "blocked" | "refunded" | "partial_refund" | "marked" | "validated" | "ignored" | "invalid";
            detail: string | null;
        };
        OrderLine: {
            id: string;
            transaction: string;
            /** @description Empty: the line is about the whole order. */
            package: string;
            number: number;
            serverId: string;
            name: string | null;
            params: {
                [key: string]: unknown;
            } | null;
            buyer: {
                value: string;
                name: string;
            } | null;
            /** @description The name of the package in the shop. */
            product: string | null;
            target: string | null;
            /** @enum {string} */
            state: "pending" | "placed" | "delivered" | "blocked" | "refunding" | "reversing" | "reversed" | "undoing" | "unmatched" | "refused" | "failed" | "owed" | "dismissed";
            reason: string | null;
            detail: string | null;
            commandId: string | null;
            oppositeId: string | null;
            /** @description The last decision of the staff. */
            decision: {
                /** @enum {string} */
                is: "given" | "dismissed";
                by: {
                    keyId: string;
                    name: string;
                };
                /**
                 * Format: date-time
                 * @example 2026-11-20T11:59:58.120Z
                 */
                at: string;
                note: string | null;
                /** @description Who took it back, or wants to. */
                undo: {
                    by: {
                        keyId: string;
                        name: string;
                    };
                    /**
                     * Format: date-time
                     * @example 2026-11-20T11:59:58.120Z
                     */
                    at: string;
                } | null;
            } | null;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            updatedAt: string;
        };
        /**
         * @example {
         *       "dismiss": true,
         *       "note": "Given by hand."
         *     }
         */
        Decision: {
            /**
             * @description The player who gets it.
             * @example char1:5f3a9c
             */
            target?: string;
            /** @enum {boolean} */
            dismiss?: true;
            /** @description Needed with dismiss: why. */
            note?: string;
            /**
             * @description Takes the decision back, within 30 days.
             * @enum {boolean}
             */
            undo?: true;
        };
        LineDecided: {
            id: string;
            line?: components["schemas"]["OrderLine"];
            /**
             * @description Why not, as an error code.
             * @example already_decided
             */
            problem: string | null;
            detail: string | null;
        };
        /**
         * @example {
         *       "lines": [
         *         "lin_5f3a9c"
         *       ],
         *       "dismiss": true,
         *       "note": "Given by hand."
         *     }
         */
        JointDecision: {
            /**
             * @description The player who gets it.
             * @example char1:5f3a9c
             */
            target?: string;
            /** @enum {boolean} */
            dismiss?: true;
            /** @description Needed with dismiss: why. */
            note?: string;
            /**
             * @description Takes the decision back, within 30 days.
             * @enum {boolean}
             */
            undo?: true;
            lines: string[];
        };
        Webhook: {
            /** @example whk_01j9z3k7v8 */
            id: string;
            name: string | null;
            /** @enum {string} */
            format: "json" | "discord";
            /** @description Without the token of Discord. null: it was sealed with another SECRET_KEY. */
            url: string | null;
            types: string[] | null;
            servers: string[] | null;
            /** @description Whether it gets the names of players: its maker may see them. */
            names: boolean;
            /** @description The key that last chose what it gets. */
            maker: {
                keyId: string;
                name: string;
            };
            on: boolean;
            /**
             * @description paused: by a person. gone: it answered 410. failing: nothing has arrived for five days.
             * @enum {string|null}
             */
            off: "paused" | "gone" | "failing" | null;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            offAt: string | null;
            /** @description Failed attempts since the last good one. */
            failures: number;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            failingSince: string | null;
            /** @description The last failure; null: the last attempt was good. */
            fault: string | null;
            /**
             * Format: date-time
             * @description Nothing is sent before.
             * @example 2026-11-20T11:59:58.120Z
             */
            restUntil: string | null;
            /** @description Whether a person should look: the hub switched it off, it rests, or it has failed for ten minutes. */
            troubled: boolean;
            /** @description Events after its place, at most 1000; also those that are not for it. */
            behind: number;
            /** @description Events that are sent again. */
            waiting: number;
            /** @description Events whose attempts are used up. */
            givenUp: number;
            /**
             * Format: date-time
             * @description null: only one secret signs.
             * @example 2026-11-20T11:59:58.120Z
             */
            previousSecretEndsAt: string | null;
            /**
             * Format: date-time
             * @description Since when the project keeps its events; null: what was open before is still being noted.
             * @example 2026-11-20T11:59:58.120Z
             */
            eventsSince: string | null;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            updatedAt: string;
        };
        /**
         * @example {
         *       "url": "https://example.com/hook"
         *     }
         */
        NewWebhook: {
            /**
             * @description Only https, and only hosts of the public internet.
             * @example https://example.com/hook
             */
            url: string;
            /**
             * @description For people; null: none.
             * @default null
             * @example Staff channel
             */
            name?: string | null;
            /**
             * @default json
             * @enum {string}
             */
            format?: "json" | "discord";
            /**
             * @description The types of events that it gets; null: all.
             * @default null
             */
            types?: ("command.settled" | "command.waiting" | "command.indeterminate" | "batch.settled" | "schedule.run" | "schedule.refused" | "schedule.paused" | "shop.line.unmatched" | "shop.line.delivered" | "server.offline" | "server.online" | "player.first_seen" | "webhook.off")[] | null;
            /** @description The servers whose events it gets; null: all. */
            servers?: string[] | null;
        };
        /**
         * @example {
         *       "on": false
         *     }
         */
        WebhookChange: {
            /**
             * @description Only https, and only hosts of the public internet.
             * @example https://example.com/hook
             */
            url?: string;
            /**
             * @description For people; null: none.
             * @example Staff channel
             */
            name?: string | null;
            /** @description The types of events that it gets; null: all. */
            types?: ("command.settled" | "command.waiting" | "command.indeterminate" | "batch.settled" | "schedule.run" | "schedule.refused" | "schedule.paused" | "shop.line.unmatched" | "shop.line.delivered" | "server.offline" | "server.online" | "player.first_seen" | "webhook.off")[] | null;
            /** @description The servers whose events it gets; null: all. */
            servers?: string[] | null;
            on?: boolean;
        };
        WebhookDelivery: {
            eventId: string;
            type: string;
            /** @description More than 1: a summary in Discord of so many; this is the newest. */
            events: number;
            /** @description null: a summary, the event is not kept any more or of no server of your key, or that lacks commands:read. */
            about: {
                serverId: string;
                /** @example cmd_01j9z3k7v8 */
                subject: string;
                /**
                 * @description Of a command or a batch.
                 * @example money
                 */
                command: string | null;
                /** @example Ana Silva · +500 bank · Salary */
                says: string;
            } | null;
            /** @enum {string} */
            state: "delivered" | "waiting" | "given_up";
            attempts: number;
            /** @description Of the last answer; null: there was none. */
            status: number | null;
            /** @description What went wrong. */
            detail: string | null;
            /** @description The first 256 characters of the last answer. */
            answer: string;
            tookMs: number;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            at: string;
            /**
             * Format: date-time
             * @example 2026-11-20T11:59:58.120Z
             */
            nextAt: string | null;
        };
        /**
         * @example {
         *       "since": "2026-11-20T00:00:00Z"
         *     }
         */
        WebhookReplay: {
            /** Format: date-time */
            since: string;
        };
        Project: {
            slug: string;
            name: string;
            /** @description Requests of all keys in the last 60 seconds. */
            rateLimit: {
                limit: number;
                used: number;
                remaining: number;
                resetSeconds: number;
            };
            /** @description Changes of people in the panel in the last 60 seconds. */
            people: {
                limit: number;
                used: number;
                remaining: number;
                resetSeconds: number;
            };
            /** @description Of the panel, for people who chose none; null: that of their browser. */
            language: string | null;
            /** @description Above this amount, the panel asks a person to type it. */
            confirmAbove: number;
            /** @description Commands that are refused without a reason. */
            reasonFor: string[];
            /** @description Limit of one money command. */
            maxAmount: number | null;
            maxServers: number;
            /** @description Players in one batch. */
            maxBatchTargets: number;
            /** @description Money that one batch may move. */
            maxBatchTotal: number | null;
            /** @description The operator's bounds: the project's own lie below them. null: none. */
            ceilings: {
                maxAmount: number | null;
                maxBatchTotal: number | null;
            };
            /** @description Commands that may wait for servers and players. */
            maxWaiting: number;
            /** @description Keys that are neither revoked nor expired. */
            maxKeys: number;
            totals: {
                servers: number;
                players: number;
                playersOnline: number;
            };
            /** @description Commands that have not ended or are indeterminate. */
            commands: {
                waiting: number;
                accepted: number;
                dispatched: number;
                indeterminate: number;
            };
            /** @description Planned runs of the last three days that did not happen, as far as the hub knows. */
            schedules: {
                notMade: number;
            };
            /**
             * Format: date-time
             * @description Since when all events are kept; null: they are not, or not all yet.
             * @example 2026-11-20T11:59:58.120Z
             */
            eventsSince: string | null;
            /** @description What waits for a person. */
            attention: {
                /** @description Commands of which a person must say whether they happened. */
                unknown: number;
                /** @description Lines of orders that the staff has to decide. */
                orders: number;
                /** @description Runs of schedules of the last three days that did not happen. */
                runs: number;
                /** @description Game servers that were connected once, and are not now. */
                servers: number;
                /** @description Webhooks that are off, but not by a person, or that rest. */
                webhooks: number;
            };
        };
        /**
         * @example {
         *       "maxAmount": 50000,
         *       "reasonFor": [
         *         "money"
         *       ]
         *     }
         */
        ProjectChange: {
            name?: string;
            /** @enum {string|null} */
            language?: "en" | "pt" | "de" | null;
            confirmAbove?: number;
            reasonFor?: ("kick" | "money" | "items" | "vehicles" | "job" | "revive" | "heal" | "freeze" | "teleport")[];
            /** @description null: the operator's bound. Above it: 403. */
            maxAmount?: number | null;
            /** @description null: the operator's bound. Above it: 403. */
            maxBatchTotal?: number | null;
        };
        PanelSession: {
            key: {
                id: string;
                name: string;
            };
            /** @description The scopes of this key, which it may also grant. */
            scopes: ("players:read" | "players:write" | "commands:kick" | "commands:money" | "commands:items" | "commands:vehicles" | "commands:job" | "commands:announce" | "commands:player" | "commands:custom" | "commands:batch" | "commands:read" | "commands:resolve" | "schedules:write" | "servers:read" | "servers:write" | "keys:write" | "integrations:write" | "webhooks:write" | "project:write")[];
            /** @description null: every server of the project. */
            servers: string[] | null;
            /** @description PUBLIC_URL of the hub; null: not set. */
            publicUrl: string | null;
            /** @description True: HOST of the hub is an address of its own machine only. */
            listensHereOnly: boolean;
            project: {
                slug: string;
                name: string;
                maxAmount: number | null;
            };
        };
        /** @description Without range. */
        Statistics: {
            stepSeconds: number;
            points: {
                /**
                 * Format: date-time
                 * @example 2026-11-20T11:59:58.120Z
                 */
                at: string;
                online: number;
                succeeded: number;
                /** @description Commands without effect: rejected, taken back or expired. */
                refused: number;
                failed: number;
                unknown: number;
            }[];
        };
        /** @description With range. */
        StatisticsRange: {
            /** @enum {string} */
            range: "24h" | "7d" | "30d";
            /** @description 900, 3600 or 21600. A bucket begins at a multiple of it, in UTC. */
            bucketSeconds: number;
            points: {
                /**
                 * Format: date-time
                 * @example 2026-11-20T11:59:58.120Z
                 */
                at: string;
                /** @description The average. null: no bridge was connected, and no command ended. */
                online: number | null;
                /** @description Commands that ended, without those of batches. null: no bridge was connected, and no command ended. */
                ended: {
                    succeeded: number;
                    /** @description Commands without effect: rejected, taken back or expired. */
                    refused: number;
                    failed: number;
                    unknown: number;
                } | null;
                /** @description Commands of batches that ended. */
                batches: {
                    succeeded: number;
                    /** @description Commands without effect: rejected, taken back or expired. */
                    refused: number;
                    failed: number;
                    unknown: number;
                } | null;
            }[];
            /** @description The most players at the end of five minutes; of more than 8 days ago, the highest average. */
            peak: number;
            /** @description With each=server: a value for each point, in the order of the points. */
            servers?: {
                serverId: string;
                online: (number | null)[];
                ended: (number | null)[];
                batches: (number | null)[];
            }[];
        };
    };
    responses: {
        /** @description malformed_http, malformed_json, unsupported_protocol */
        Problem400: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description missing_api_key, invalid_api_key, signed_out, invalid_signature, invalid_token */
        Problem401: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description insufficient_scope, server_not_allowed, above_ceiling, setup_not_private, origin_not_allowed, server_disabled */
        Problem403: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description not_found, server_not_found, player_not_found, schedule_not_found, batch_not_found, command_not_found, key_not_found, integration_not_found, webhook_not_found, delivery_not_found, line_not_found, action_not_found */
        Problem404: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description request_timeout */
        Problem408: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description payload_too_large */
        Problem413: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description expectation_failed */
        Problem417: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description reason_required, unknown_item, unknown_model, unknown_job, unknown_grade, invalid_request, idempotency_mismatch */
        Problem422: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description rate_limited */
        Problem429: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description headers_too_large */
        Problem431: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description internal_error */
        Problem500: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description bridge_offline, waiting_full, bridge_busy, commands_not_known_yet, server_restarting, node_full, draining, store_unavailable, routing_unavailable */
        Problem503: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description unsupported_media_type */
        Problem415: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description already_decided, player_ambiguous, player_offline, insufficient_funds, inventory_full, too_heavy, not_enough_items, inventory_locked, plate_taken, vehicle_not_found, vehicle_out, refused, voided, expired, indeterminate, invalid_state, not_settled, nothing_to_undo, no_opposite, already_sent, not_repeatable, last_admin_key, already_exists, quota_exceeded */
        Problem409: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description unsupported, journal_required */
        Problem501: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description bridge_error */
        Problem502: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description bridge_timeout */
        Problem504: {
            headers: {
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description What is left of the nearest limit: requests (r), and seconds until one comes free (t).
         * @example "project";r=42;t=17
         */
        RateLimit: string;
        /**
         * @description The nearest limit: requests (q) in so many seconds (w).
         * @example "project";q=100;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description The same as q.
         * @example 100
         */
        "X-RateLimit-Limit": number;
        /**
         * @description The same as r.
         * @example 42
         */
        "X-RateLimit-Remaining": number;
        /**
         * @description When one comes free, Unix seconds.
         * @example 1795000017
         */
        "X-RateLimit-Reset": number;
        /**
         * @description Seconds until it is worth another try.
         * @example 5
         */
        "Retry-After": number;
        /**
         * @description The address of the command, batch or schedule.
         * @example /api/v2/commands/cmd_01j9z3k7v8
         */
        Location: string;
        /**
         * @description The next page; absent on the last one.
         * @example </api/v2/players?cursor=eyJ>; rel="next"
         */
        Link: string;
        /** @description The answer is about an earlier request with the same Idempotency-Key, or about an earlier undo. */
        "Idempotency-Replayed": "true";
    };
    pathItems: never;
}
export interface operations {
    receiveTebex: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TebexWebhook"];
            };
        };
        responses: {
            /** @description It is stored, or was before. Commands follow, also when the game server is away. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    receiveOrder: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ShopOrder"];
            };
        };
        responses: {
            /** @description It is stored, or was before. Commands follow, also when the game server is away. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Receipt"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Usable. warn: a bridge or a game database is down, or a backup failed. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            /** @description The hub’s own database is down, or takes no writes. A problem, if that kept the key from being looked up. */
            503: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listPlayers: {
        parameters: {
            query?: {
                search?: string;
                /** @description `search` looks at number plates, too. */
                plates?: "true" | "false";
                serverId?: string;
                online?: "true" | "false";
                /** @description The name of the job, exactly. */
                job?: string;
                /** @description The name of the group, exactly. */
                group?: string;
                /** @description Only players who have this account. */
                account?: string;
                /** @description Of `account`. */
                minBalance?: number;
                /** @description Of `account`. */
                maxBalance?: number;
                /** @description More than 200 means 200; the answer says the limit that was used. */
                limit?: number;
                offset?: number;
                /** @description `balance`: that of `account`, the largest first. */
                sort?: "name" | "lastSeen" | "job" | "balance";
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Players. By default those online come first, then the most recently seen. In a search with up to 10,000 hits, names come before identifiers. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["PlayerSummary"][];
                        pagination: {
                            limit: number;
                            offset: number;
                            total: number;
                            /** @enum {boolean} */
                            totalIsLowerBound?: true;
                            next: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listPlayerIdentifiers: {
        parameters: {
            query?: {
                search?: string;
                /** @description `search` looks at number plates, too. */
                plates?: "true" | "false";
                serverId?: string;
                online?: "true" | "false";
                /** @description The name of the job, exactly. */
                job?: string;
                /** @description The name of the group, exactly. */
                group?: string;
                /** @description Only players who have this account. */
                account?: string;
                /** @description Of `account`. */
                minBalance?: number;
                /** @description Of `account`. */
                maxBalance?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Exactly the players whom the list counts at this moment, by server and identifier. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlayerIdentifiers"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getPlayer: {
        parameters: {
            query?: {
                serverId?: string;
            };
            header?: never;
            path: {
                identifier: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The player. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Player"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    deletePlayer: {
        parameters: {
            query: {
                serverId: string;
            };
            header?: never;
            path: {
                identifier: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    kick: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable characters; the same key and body never take effect twice. */
                "idempotency-key"?: string;
                /** @description wait=N (1 to 60 seconds) or respond-async */
                prefer?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Kick"];
            };
        };
        responses: {
            /** @description The game server did it. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Command"];
                };
            };
            /** @description accepted (asked for asynchronously), waiting (for its server or player) or in_doubt (no outcome yet); see Location. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingCommand"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            501: components["responses"]["Problem501"];
            502: components["responses"]["Problem502"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    money: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable characters; the same key and body never take effect twice. */
                "idempotency-key"?: string;
                /** @description wait=N (1 to 60 seconds) or respond-async */
                prefer?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Money"];
            };
        };
        responses: {
            /** @description The game server did it. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Command"];
                };
            };
            /** @description accepted (asked for asynchronously), waiting (for its server or player) or in_doubt (no outcome yet); see Location. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingCommand"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            501: components["responses"]["Problem501"];
            502: components["responses"]["Problem502"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    items: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable characters; the same key and body never take effect twice. */
                "idempotency-key"?: string;
                /** @description wait=N (1 to 60 seconds) or respond-async */
                prefer?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Items"];
            };
        };
        responses: {
            /** @description The game server did it. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Command"];
                };
            };
            /** @description accepted (asked for asynchronously), waiting (for its server or player) or in_doubt (no outcome yet); see Location. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingCommand"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            501: components["responses"]["Problem501"];
            502: components["responses"]["Problem502"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    vehicles: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable characters; the same key and body never take effect twice. */
                "idempotency-key"?: string;
                /** @description wait=N (1 to 60 seconds) or respond-async */
                prefer?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Vehicles"];
            };
        };
        responses: {
            /** @description The game server did it. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Command"];
                };
            };
            /** @description accepted (asked for asynchronously), waiting (for its server or player) or in_doubt (no outcome yet); see Location. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingCommand"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            501: components["responses"]["Problem501"];
            502: components["responses"]["Problem502"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    job: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable characters; the same key and body never take effect twice. */
                "idempotency-key"?: string;
                /** @description wait=N (1 to 60 seconds) or respond-async */
                prefer?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Job"];
            };
        };
        responses: {
            /** @description The game server did it. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Command"];
                };
            };
            /** @description accepted (asked for asynchronously), waiting (for its server or player) or in_doubt (no outcome yet); see Location. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingCommand"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            501: components["responses"]["Problem501"];
            502: components["responses"]["Problem502"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    announce: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable characters; the same key and body never take effect twice. */
                "idempotency-key"?: string;
                /** @description wait=N (1 to 60 seconds) or respond-async */
                prefer?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Announce"];
            };
        };
        responses: {
            /** @description The game server did it. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Command"];
                };
            };
            /** @description accepted (asked for asynchronously), waiting (for its server or player) or in_doubt (no outcome yet); see Location. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingCommand"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            501: components["responses"]["Problem501"];
            502: components["responses"]["Problem502"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    message: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable characters; the same key and body never take effect twice. */
                "idempotency-key"?: string;
                /** @description wait=N (1 to 60 seconds) or respond-async */
                prefer?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Message"];
            };
        };
        responses: {
            /** @description The game server did it. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Command"];
                };
            };
            /** @description accepted (asked for asynchronously), waiting (for its server or player) or in_doubt (no outcome yet); see Location. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingCommand"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            501: components["responses"]["Problem501"];
            502: components["responses"]["Problem502"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    revive: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable characters; the same key and body never take effect twice. */
                "idempotency-key"?: string;
                /** @description wait=N (1 to 60 seconds) or respond-async */
                prefer?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Revive"];
            };
        };
        responses: {
            /** @description The game server did it. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Command"];
                };
            };
            /** @description accepted (asked for asynchronously), waiting (for its server or player) or in_doubt (no outcome yet); see Location. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingCommand"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            501: components["responses"]["Problem501"];
            502: components["responses"]["Problem502"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    heal: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable characters; the same key and body never take effect twice. */
                "idempotency-key"?: string;
                /** @description wait=N (1 to 60 seconds) or respond-async */
                prefer?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Heal"];
            };
        };
        responses: {
            /** @description The game server did it. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Command"];
                };
            };
            /** @description accepted (asked for asynchronously), waiting (for its server or player) or in_doubt (no outcome yet); see Location. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingCommand"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            501: components["responses"]["Problem501"];
            502: components["responses"]["Problem502"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    freeze: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable characters; the same key and body never take effect twice. */
                "idempotency-key"?: string;
                /** @description wait=N (1 to 60 seconds) or respond-async */
                prefer?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Freeze"];
            };
        };
        responses: {
            /** @description The game server did it. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Command"];
                };
            };
            /** @description accepted (asked for asynchronously), waiting (for its server or player) or in_doubt (no outcome yet); see Location. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingCommand"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            501: components["responses"]["Problem501"];
            502: components["responses"]["Problem502"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    teleport: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable characters; the same key and body never take effect twice. */
                "idempotency-key"?: string;
                /** @description wait=N (1 to 60 seconds) or respond-async */
                prefer?: string;
            };
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Teleport"];
            };
        };
        responses: {
            /** @description The game server did it. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Command"];
                };
            };
            /** @description accepted (asked for asynchronously), waiting (for its server or player) or in_doubt (no outcome yet); see Location. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingCommand"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            501: components["responses"]["Problem501"];
            502: components["responses"]["Problem502"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    listActions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The custom commands of the server at this moment. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Action"][];
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    runAction: {
        parameters: {
            query?: {
                /** @description when_connected waits for the game server, when_online also for the player. The answer is then 202 with the status waiting. */
                deliver?: "now" | "when_connected" | "when_online";
                expiresInSeconds?: number;
            };
            header?: {
                /** @description 1 to 255 printable characters; the same key and body never take effect twice. */
                "idempotency-key"?: string;
                /** @description wait=N (1 to 60 seconds) or respond-async */
                prefer?: string;
            };
            path: {
                serverId: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ActionParams"];
            };
        };
        responses: {
            /** @description The game server did it. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Command"];
                };
            };
            /** @description accepted (asked for asynchronously), waiting (for its server or player) or in_doubt (no outcome yet); see Location. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingCommand"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            501: components["responses"]["Problem501"];
            502: components["responses"]["Problem502"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    listCommands: {
        parameters: {
            query?: {
                serverId?: string;
                target?: string;
                name?: string;
                /** @description With commas between them: one or more of waiting, accepted, dispatched, succeeded, failed, rejected, voided, expired, indeterminate, resolved_applied, resolved_not_applied. */
                status?: string;
                /** @description Absent or all: also those of batches. none: without them. An id: of this batch only. */
                batches?: string;
                /** @description The id of a key, or a part of its name in any case. */
                actor?: string;
                /** @description Only payments that give money to a player, or take it. */
                direction?: "give" | "take";
                /** @description Made at that time or later. */
                since?: string;
                /** @description Made before. */
                until?: string;
                /** @description More than 200 means 200; the answer says the limit that was used. */
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Commands, the newest first. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Command"][];
                        pagination: {
                            limit: number;
                            next: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    sumCommands: {
        parameters: {
            query?: {
                serverId?: string;
                target?: string;
                name?: string;
                /** @description With commas between them: one or more of waiting, accepted, dispatched, succeeded, failed, rejected, voided, expired, indeterminate, resolved_applied, resolved_not_applied. */
                status?: string;
                /** @description Absent or all: also those of batches. none: without them. An id: of this batch only. */
                batches?: string;
                /** @description The id of a key, or a part of its name in any case. */
                actor?: string;
                /** @description Only payments that give money to a player, or take it. */
                direction?: "give" | "take";
                /** @description Made at that time or later. */
                since?: string;
                /** @description Made before. */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description By the balances before and after; the largest sums first. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommandSums"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    exportCommands: {
        parameters: {
            query?: {
                serverId?: string;
                target?: string;
                name?: string;
                /** @description With commas between them: one or more of waiting, accepted, dispatched, succeeded, failed, rejected, voided, expired, indeterminate, resolved_applied, resolved_not_applied. */
                status?: string;
                /** @description Absent or all: also those of batches. none: without them. An id: of this batch only. */
                batches?: string;
                /** @description The id of a key, or a part of its name in any case. */
                actor?: string;
                /** @description Only payments that give money to a player, or take it. */
                direction?: "give" | "take";
                /** @description Made at that time or later. */
                since?: string;
                /** @description Made before. */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Comma-separated values with a header line, in UTF-8. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getCommand: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The command as it stands. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Command"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    voidCommand: {
        parameters: {
            query?: never;
            header?: {
                /** @description wait=N (1 to 60 seconds) or respond-async */
                prefer?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description It was taken back and never takes effect. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Command"];
                };
            };
            /** @description The bridge has been asked; see Location. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingCommand"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    undoCommand: {
        parameters: {
            query?: never;
            header?: {
                /** @description wait=N (1 to 60 seconds) or respond-async */
                prefer?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Undo"];
            };
        };
        responses: {
            /** @description The command that undoes it; of one that was not sent, the command itself, taken back. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Command"];
                };
            };
            /** @description The undo has no outcome yet; see Location. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingCommand"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            501: components["responses"]["Problem501"];
            502: components["responses"]["Problem502"];
            503: components["responses"]["Problem503"];
        };
    };
    repeatCommand: {
        parameters: {
            query?: never;
            header?: {
                /** @description wait=N (1 to 60 seconds) or respond-async */
                prefer?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The new command, which the game server did. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Command"];
                };
            };
            /** @description The new command has no outcome yet; see Location. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingCommand"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            501: components["responses"]["Problem501"];
            502: components["responses"]["Problem502"];
            503: components["responses"]["Problem503"];
            504: components["responses"]["Problem504"];
        };
    };
    resolveCommand: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Resolution"];
            };
        };
        responses: {
            /** @description The command, resolved. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Command"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listBatches: {
        parameters: {
            query?: {
                /** @description More than 200 means 200; the answer says the limit that was used. */
                limit?: number;
                cursor?: string;
                serverId?: string;
                name?: string;
                /** @description The id of a key, or a part of its name in any case. */
                actor?: string;
                /** @description Made at that time or later. */
                since?: string;
                /** @description Made before. */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Batches. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Batch"][];
                        pagination: {
                            limit: number;
                            next: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    createBatch: {
        parameters: {
            query?: never;
            header: {
                /** @description Required. */
                "idempotency-key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BatchRequest"];
            };
        };
        responses: {
            /** @description With dryRun: what it would do. Nothing was stored. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchDryRun"];
                };
            };
            /** @description The batch; its commands follow. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The batch. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listBatchCommands: {
        parameters: {
            query?: {
                /** @description More than 200 means 200; the answer says the limit that was used. */
                limit?: number;
                cursor?: string;
                status?: "waiting" | "accepted" | "dispatched" | "succeeded" | "failed" | "rejected" | "voided" | "expired" | "indeterminate" | "resolved_applied" | "resolved_not_applied";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description In the order of the players. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Command"][];
                        pagination: {
                            limit: number;
                            next: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    exportBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description As the export of the journal. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    voidBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The batch; commands that have left go on. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    undoBatch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BatchUndo"];
            };
        };
        responses: {
            /** @description With dryRun: what it would do. Nothing was stored. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchUndoDryRun"];
                };
            };
            /** @description The batch that undoes it; its commands follow. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Batch"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listSchedules: {
        parameters: {
            query?: {
                /** @description More than 200 means 200; the answer says the limit that was used. */
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Schedules. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Schedule"][];
                        pagination: {
                            limit: number;
                            next: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    createSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ScheduleRequest"];
            };
        };
        responses: {
            /** @description With dryRun: when it would run. Nothing was stored. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleDryRun"];
                };
            };
            /** @description The schedule. */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The schedule. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    deleteSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is gone; commands that it made stay. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    changeSchedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SchedulePatch"];
            };
        };
        responses: {
            /** @description The schedule; it now runs with your key. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Schedule"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listScheduleRuns: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest first. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ScheduleRun"][];
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    runSchedule: {
        parameters: {
            query?: never;
            header: {
                /** @description Required. */
                "idempotency-key": string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description The command or the batch is made; see Location. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleRunNow"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listServers: {
        parameters: {
            query?: {
                /** @description More than 200 means 200; the answer says the limit that was used. */
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The servers of the project, by their id. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Server"][];
                        pagination: {
                            limit: number;
                            next: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    createServer: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewServer"];
            };
        };
        responses: {
            /** @description The server with its bridge token. */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"] & {
                        /**
                         * @description Shown once.
                         * @example cwb_…
                         */
                        token: string;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getServer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The server. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    deleteServer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The server is deleted. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    updateServer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServerChange"];
            };
        };
        responses: {
            /** @description The server as it is now. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Server"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    previewServerDeletion: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many commands of it have not ended. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerDeletion"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    rotateServerToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Rotation"];
            };
        };
        responses: {
            /** @description The new token. The old one ends after graceSeconds. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BridgeToken"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listItems: {
        parameters: {
            query?: {
                /** @description More than 200 means 200; the answer says the limit that was used. */
                limit?: number;
                cursor?: string;
                search?: string;
            };
            header?: never;
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Matching entries; those that begin with the search come first. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CataloguePage"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listVehicles: {
        parameters: {
            query?: {
                /** @description More than 200 means 200; the answer says the limit that was used. */
                limit?: number;
                cursor?: string;
                search?: string;
            };
            header?: never;
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Matching entries; those that begin with the search come first. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CataloguePage"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listJobs: {
        parameters: {
            query?: {
                /** @description More than 200 means 200; the answer says the limit that was used. */
                limit?: number;
                cursor?: string;
                search?: string;
            };
            header?: never;
            path: {
                serverId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Matching entries; those that begin with the search come first. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CataloguePage"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key of the request, or of the session. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description More than 200 means 200; the answer says the limit that was used. */
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys, oldest first, without their secrets. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ApiKey"][];
                        pagination: {
                            limit: number;
                            next: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewKey"];
            };
        };
        responses: {
            /** @description The key, shown once. */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key is revoked. Webhooks that it made go on. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    updateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyChange"];
            };
        };
        responses: {
            /** @description The key as it is now. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    rotateKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["KeyRotation"];
            };
        };
        responses: {
            /** @description The new secret; the old one ends after graceSeconds. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewApiKey"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listIntegrations: {
        parameters: {
            query?: {
                /** @description More than 200 means 200; the answer says the limit that was used. */
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The integrations, oldest first. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Integration"][];
                        pagination: {
                            limit: number;
                            next: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    createIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewIntegration"];
            };
        };
        responses: {
            /** @description The integration, without its secret. */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The integration. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    deleteIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its address takes no more webhooks. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    updateIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IntegrationChange"];
            };
        };
        responses: {
            /** @description The integration as it is now. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Integration"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    testIntegration: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderTest"];
            };
        };
        responses: {
            /** @description The first 200 commands of the order. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OrderPreview"][];
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest first. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Delivery"][];
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listUnmatched: {
        parameters: {
            query?: {
                /** @description More than 200 means 200; the answer says the limit that was used. */
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lines of orders, oldest first. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OrderLine"][];
                        pagination: {
                            limit: number;
                            next: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    decideLines: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JointDecision"];
            };
        };
        responses: {
            /** @description What became of each line, in the order of the request. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LineDecided"][];
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listDecided: {
        parameters: {
            query?: {
                /** @description More than 200 means 200; the answer says the limit that was used. */
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lines of orders, the latest decision first. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OrderLine"][];
                        pagination: {
                            limit: number;
                            next: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    decideUnmatched: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                lineId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Decision"];
            };
        };
        responses: {
            /** @description The line as it is now. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderLine"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them, oldest first. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Webhook"][];
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewWebhook"];
            };
        };
        responses: {
            /** @description The webhook with its secret. */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"] & {
                        /**
                         * @description Shown this once.
                         * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
                         */
                        secret: string | null;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            409: components["responses"]["Problem409"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It gets nothing more. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookChange"];
            };
        };
        responses: {
            /** @description The webhook as it is now. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    rotateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new secret. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"] & {
                        /**
                         * @description Shown this once.
                         * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
                         */
                        secret: string;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How it went. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        id: string;
                        name: string | null;
                        delivered: boolean;
                        status: number | null;
                        detail: string | null;
                        answer: string;
                        tookMs: number;
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                state?: "delivered" | "waiting" | "given_up";
                /** @description More than 200 means 200; the answer says the limit that was used. */
                limit?: number;
                cursor?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest first. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["WebhookDelivery"][];
                        pagination: {
                            limit: number;
                            next: string | null;
                        };
                    };
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    retryWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                eventId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is sent soon. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    replayWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookReplay"];
            };
        };
        responses: {
            /** @description The webhook; behind says how many events come. */
            202: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            404: components["responses"]["Problem404"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The project of the key. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    changeProject: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProjectChange"];
            };
        };
        responses: {
            /** @description The project as it is now. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /** @description Only events of these types, with commas between them; missed comes in any case. */
                types?: string;
                /** @description Only events of this server. */
                serverId?: string;
            };
            header?: {
                "last-event-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getPanelSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key, as a person of the panel. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PanelSession"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description Signed in; the cookie is set. */
            201: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PanelSession"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            413: components["responses"]["Problem413"];
            415: components["responses"]["Problem415"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
    getStatistics: {
        parameters: {
            query?: {
                /** @description Without range: how far back; default 24. */
                hours?: number;
                range?: "24h" | "7d" | "30d";
                /** @description With range: also a series of each server. */
                each?: "server";
                serverId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The oldest first; the last one is still running. */
            200: {
                headers: {
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Statistics"] | components["schemas"]["StatisticsRange"];
                };
            };
            400: components["responses"]["Problem400"];
            401: components["responses"]["Problem401"];
            403: components["responses"]["Problem403"];
            408: components["responses"]["Problem408"];
            417: components["responses"]["Problem417"];
            422: components["responses"]["Problem422"];
            429: components["responses"]["Problem429"];
            431: components["responses"]["Problem431"];
            500: components["responses"]["Problem500"];
            503: components["responses"]["Problem503"];
        };
    };
}
