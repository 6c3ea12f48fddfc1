import { encode, rereadBridgeMessage } from '../wire/codec.ts';
import { LIMITS, PROTOCOL_VERSION } from '../wire/limits.ts';
import type { BridgeMessage, MessageOf } from '../wire/messages.ts';
import type { BridgeOptions } from './options.ts';

type Hello = MessageOf<BridgeMessage, 'hello'>;

/**
 * Says who this bridge is; the journal is read anew for every connection.
 * @throws ProtocolError when the hub would not take what the options say
 */
export const createHello = (
  { software, journal, accounts, instance = globalThis.crypto.randomUUID() }: BridgeOptions,
  commands: string[],
) => {
  const hello = (open: Hello['open']): Hello => ({
    type: 'hello',
    protocol: PROTOCOL_VERSION,
    instance,
    software,
    commands,
    accounts: [...accounts],
    journal: { class: journal.class, id: journal.id, sequence: journal.openedAt },
    open,
    limits: { inFlight: LIMITS.inFlight },
  });

  rereadBridgeMessage(encode(hello([])));

  return (): Hello => {
    const open = journal.open().slice(0, LIMITS.openCommands);
    return hello(open.map(({ id, status }) => ({ id, status })));
  };
};
