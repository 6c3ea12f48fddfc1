import { type Bus, encodeBusMessage, type Handlers, hear } from './bus.ts';

/** Buses of nodes in one process. A hub of one node has no other node to reach. */
export const createExchange = () => {
  const members = new Map<string, Handlers>();

  return (): Bus => {
    let own = '';
    const others = (): Handlers[] => [...members].filter(([node]) => node !== own).map(([, handlers]) => handlers);
    const say = (handlers: Handlers, text: string): void =>
      void hear(handlers, JSON.parse(text)).catch(() => undefined);
    return {
      engine: 'local',
      isUp: () => true,
      ask: async (node, message, withinMs) => {
        const handlers = members.get(node);
        if (handlers === undefined) return 'no_responders';
        let timer: NodeJS.Timeout | undefined;
        const timeout = new Promise<'timeout'>((resolve) => {
          timer = setTimeout(resolve, withinMs, 'timeout');
        });
        const answer = hear(handlers, JSON.parse(encodeBusMessage(message))).then((answer) => ({ answer }));
        return Promise.race([answer, timeout]).finally(() => clearTimeout(timer));
      },
      tell: (node, message) => {
        const handlers = members.get(node);
        if (handlers !== undefined) say(handlers, encodeBusMessage(message));
      },
      spread: (message) => {
        if (members.size < 2) return;
        const text = encodeBusMessage(message);
        for (const handlers of others()) say(handlers, text);
      },
      listen: (node, { handlers }) => {
        own = node;
        members.set(node, handlers);
      },
      close: async () => {
        members.delete(own);
      },
    };
  };
};
