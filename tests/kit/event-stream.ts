import { Agent, type IncomingMessage, request } from 'node:http';
import { onTestFinished } from 'vitest';
import type { TestHub } from './hub.ts';

export type StreamEvent = { id: string; type: string; data: Record<string, unknown> };

const eventsIn = (text: string): StreamEvent[] =>
  text.split('\n\n').flatMap((block) => {
    const fields = new Map(
      block.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
    );
    const type = fields.get('event');
    return type === undefined
      ? []
      : [{ type, id: fields.get('id') ?? '', data: JSON.parse(fields.get('data') ?? '{}') }];
  });

/** Reads the stream; with `stalled` it reads nothing from the socket until told. */
export const openStream = async (
  hub: Pick<TestHub, 'address' | 'key'>,
  { key = hub.key, lastId = '', stalled = false, query = '' } = {},
) => {
  const headers = { 'X-API-Key': key, ...(lastId && { 'Last-Event-ID': lastId }) };
  const agent = new Agent();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(`${hub.address}/api/v2/events${query}`, { headers, agent }, resolve).on('error', reject).end();
  });
  onTestFinished(() => {
    agent.destroy();
  });
  let text = '';
  let isOver = false;
  response.on('error', () => undefined);
  response.on('close', () => {
    isOver = true;
  });
  const read = (): void => {
    response.on('data', (data) => {
      text += String(data);
    });
  };
  if (!stalled) read();
  return {
    read,
    events: () => eventsIn(text),
    types: () => eventsIn(text).map(({ type }) => type),
    isOver: () => isOver,
  };
};
