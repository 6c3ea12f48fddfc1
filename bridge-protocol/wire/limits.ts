/** The WebSocket subprotocol; the version of the protocol is part of it. */
export const SUBPROTOCOL = 'causeway.v1';
/** `hello.protocol` of this version. */
export const PROTOCOL_VERSION = 1;

/** Every bound of the wire, in one place. Sizes in bytes or UTF-16 code units, times in milliseconds. */
export const LIMITS = {
  /** One frame, either direction, UTF-8 encoded. */
  frameBytes: 256 * 1024,
  /** How deep objects and arrays may be nested in a frame. */
  nesting: 64,
  identifierLength: 128,
  nameLength: 128,
  reasonLength: 512,
  itemNameLength: 128,
  plateLength: 32,
  /** A text for players, UTF-16 code units. */
  messageLength: 1024,
  /** Players in one announcement to selected players. With the longest identifiers and text, its frame has 141 KB. */
  announceTargets: 1000,
  /** Items in one command. */
  itemCount: 1_000_000,
  /** Entries of one catalogue, and of one of its frames. */
  catalogueEntries: 20_000,
  entriesPerFrame: 1000,
  /** One catalogue as JSON. */
  catalogueBytes: 2 * 1024 * 1024,
  gradesPerJob: 100,
  identifiersPerPlayer: 32,
  accountsPerPlayer: 64,
  inventorySlots: 1024,
  vehiclesPerPlayer: 512,
  playersPerFrame: 1000,
  openCommands: 2048,
  /** Commands one bridge works on at a time. */
  inFlight: 32,
  helloTimeoutMs: 5_000,
  pingEveryMs: 15_000,
  /** After a missing answer for this long (on top of `pingEveryMs`) the hub closes 4001. */
  pingTimeoutMs: 10_000,
  /** A bridge that has heard nothing for this long reconnects. */
  bridgeSilenceMs: 40_000,
  /** `received` is coalesced for at most this long. */
  receivedWithinMs: 20,
  statusEveryMs: 15_000,
  /** Custom commands of one server. */
  customCommands: 50,
  customDescriptionLength: 256,
  /** The JSON Schema of one custom command, with its roles; all of them, with their descriptions, fit into one frame. */
  customSchemaBytes: 4096,
  /** Parameters of one custom command, and its result. */
  customDataBytes: 16 * 1024,
  /** Objects, lists and plain values in the parameters of one custom command, all together. */
  customValues: 1000,
  /** How deep the schema and the parameters of a custom command may be nested. */
  customNesting: 32,
  /** How long a bridge keeps the ids of executed commands. */
  journalRetentionMs: 14 * 24 * 60 * 60 * 1000,
} as const;

/** A player's own or linked identifier: `char1:5f3a…`, `ABC12345`, `license:…`. */
export const IDENTIFIER_PATTERN = /^[A-Za-z0-9:_.@-]{1,128}$/;
/** An account type: `bank`, `cash`, `black_money`. */
export const ACCOUNT_PATTERN = /^[A-Za-z0-9_.-]{1,64}$/;
/** The name of a custom command: `revive`, `give_item`. */
export const CUSTOM_NAME_PATTERN = /^[a-z][a-z0-9_-]{0,47}$/;
