import * as z from 'zod/mini';
import { decoder } from './codec.ts';
import { type BridgeMessage, bridgeMessage } from './messages.ts';

/** Reads a message of a bridge. @throws ProtocolError */
export const decodeBridgeMessage: (frame: string) => BridgeMessage =
  // Compiled code reads a frame of players in a sixth of the time. Compiling takes about 70 ms, so it happens at the
  // first frame. A game server reads no such frames and does not load the compiler.
  decoder(bridgeMessage, z.compile);
