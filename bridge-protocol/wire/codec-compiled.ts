import * as z from 'zod/mini';
import { decoder } from './codec.ts';
import { type BridgeMessage, bridgeMessage } from './messages.ts';

/** Reads a message of a bridge. @throws ProtocolError */
export const decodeBridgeMessage: (frame: string) => BridgeMessage =
  // A frame of players is read in a sixth of the time. Compiling takes some 70 ms: with the first frame, for whoever
  // starts this code and reads none. A game server, which reads no such frames, is spared the compiler.
  decoder(bridgeMessage, z.compile);
