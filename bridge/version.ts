/** One version with the hub and the protocol's package. The manifest and the name of the zip have it, too. */
export const VERSION = '1.0.0-rc.1';
