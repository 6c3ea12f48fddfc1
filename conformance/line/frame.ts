import { ProtocolError } from '../../bridge-protocol/wire/codec.ts';
import { decodeBridgeMessage } from '../../bridge-protocol/wire/codec-compiled.ts';
import type { BridgeMessage } from '../../bridge-protocol/wire/messages.ts';

const TEXT_KEPT = 400;

/** One frame of a bridge as it came; `message` is missing where it is none, and `problem` says why. */
export type Frame = {
  /** Milliseconds on the monotonic clock. */
  at: number;
  bytes: number;
  text: string;
  message?: BridgeMessage;
  problem?: { code: ProtocolError['code'] | 'binary'; text: string; re?: string };
};

/** Reads one WebSocket message. Nothing in it makes this throw. */
export const readFrame = (data: Buffer, isBinary: boolean): Frame => {
  const text = data.toString();
  const frame: Frame = { at: performance.now(), bytes: data.length, text };
  if (isBinary) return { ...frame, problem: { code: 'binary', text: 'a binary frame' } };
  try {
    return { ...frame, message: decodeBridgeMessage(text) };
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const re = error.re === undefined ? {} : { re: error.re };
    return { ...frame, problem: { code: error.code, text: error.message, ...re } };
  }
};

/** The frame as it is kept: a game has many players, and their records are not needed again. */
export const slim = (frame: Frame): Frame => {
  const { message } = frame;
  const text = frame.text.slice(0, TEXT_KEPT);
  if (message?.type !== 'players.snapshot' && message?.type !== 'players.changed') return { ...frame, text };
  return { ...frame, text, message: { ...message, players: [] } };
};
