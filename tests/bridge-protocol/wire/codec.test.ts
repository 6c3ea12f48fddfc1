import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type BridgeMessage,
  decodeBridgeMessage,
  decodeHubMessage,
  encode,
  LIMITS,
  ProtocolError,
} from '../../../bridge-protocol/index.ts';
import { byteLength, isNestedDeeperThan } from '../../../bridge-protocol/wire/codec.ts';

const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof ProtocolError) return error.code;
    throw error;
  }
  return 'no error';
};

const metadataOf = (json: string): unknown => {
  const message = decodeBridgeMessage(
    `{"type":"players.changed","revision":1,"players":[{"identifier":"a","name":"A","metadata":${json}}]}`,
  );
  return message.type === 'players.changed' ? message.players[0]?.metadata : undefined;
};

describe('a frame', () => {
  it('is a message or a ProtocolError, whatever it holds', () => {
    const frame = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc
        .record({ type: fc.constantFrom('hello', 'result', 'players.changed', 'welcome', 'command') })
        .map((value) => JSON.stringify(value)),
      fc
        .record({
          type: fc.constantFrom('result', 'ping', 'ack', 'received'),
          id: fc.anything(),
          ids: fc.anything(),
        })
        .map((value) => {
          try {
            return JSON.stringify(value) ?? '';
          } catch {
            return '';
          }
        }),
    );
    fc.assert(
      fc.property(frame, (text) => {
        for (const decode of [decodeBridgeMessage, decodeHubMessage]) {
          const code = codeOf(() => decode(text));
          expect(['no error', 'invalid_json', 'unsupported', 'invalid_message', 'frame_too_large']).toContain(code);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('comes out as it went in', () => {
    const result = fc.record(
      {
        type: fc.constant('result' as const),
        id: fc.string({ minLength: 1, maxLength: 64, unit: 'grapheme' }).filter((id) => id.length <= 64),
        status: fc.constantFrom('done' as const, 'failed' as const, 'indeterminate' as const),
        data: fc.dictionary(
          fc.string({ maxLength: 64, unit: 'grapheme' }).filter((key) => key !== '__proto__' && key.length <= 64),
          fc.jsonValue({ stringUnit: 'grapheme' }).filter((value) => !JSON.stringify(value).includes('-0')),
        ),
        sequence: fc.nat(),
      },
      { requiredKeys: ['type', 'id', 'status'] },
    );
    fc.assert(
      fc.property(result, (message) => {
        fc.pre(!JSON.stringify(message).includes('\\u0000') && !JSON.stringify(message).includes('__proto__'));
        expect(decodeBridgeMessage(encode(message))).toEqual(JSON.parse(JSON.stringify(message)));
      }),
    );
  });

  it('has at most 256 KiB in bytes, not in characters', () => {
    const room = LIMITS.frameBytes - encode({ type: 'bye', reason: '' }).length;
    const fill = (text: string): BridgeMessage => ({ type: 'bye', reason: text });
    expect(codeOf(() => encode(fill('x'.repeat(room))))).toBe('no error');
    expect(codeOf(() => encode(fill('x'.repeat(room + 1))))).toBe('frame_too_large');
    expect(codeOf(() => encode(fill('€'.repeat(Math.floor(room / 3)))))).toBe('no error');
    expect(codeOf(() => encode(fill('€'.repeat(Math.floor(room / 3) + 1))))).toBe('frame_too_large');
    expect(codeOf(() => decodeBridgeMessage(' '.repeat(LIMITS.frameBytes + 1)))).toBe('frame_too_large');
    expect(codeOf(() => decodeBridgeMessage('€'.repeat(LIMITS.frameBytes / 2)))).toBe('frame_too_large');
  });

  it('names the type it complains about', () => {
    expect(codeOf(() => decodeBridgeMessage('{"type":"welcome"}'))).toBe('unsupported');
    expect(() => decodeBridgeMessage('{"type":"result","id":""}')).toThrow(expect.objectContaining({ re: 'result' }));
    expect(codeOf(() => decodeBridgeMessage('[]'))).toBe('invalid_message');
    expect(codeOf(() => decodeBridgeMessage('null'))).toBe('invalid_message');
    expect(codeOf(() => decodeBridgeMessage('{"type":"constructor"}'))).toBe('unsupported');
  });

  it('may carry unknown fields', () => {
    expect(decodeHubMessage('{"type":"ack","ids":["a"],"later":1}')).toEqual({ type: 'ack', ids: ['a'] });
  });

  it('may not be nested so deep that reading it overflows', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    const deepest = LIMITS.nesting - 4;
    expect(codeOf(() => metadataOf(`{"a":${nested(deepest)}}`))).toBe('no error');
    expect(codeOf(() => metadataOf(`{"a":${nested(deepest + 1)}}`))).toBe('invalid_message');
    expect(codeOf(() => decodeBridgeMessage('['.repeat(100_000)))).toBe('invalid_message');
    expect(metadataOf(`{"a":"${'['.repeat(1000)}\\"${'{'.repeat(1000)}"}`)).toBeDefined();
  });
});

describe('text that a database cannot store', () => {
  it.each([
    ['"a\\u0000b"', 'a\ufffdb'],
    ['"\\ud800"', '\ufffd'],
    ['"\\uDC00\\uD83D"', '\ufffd\ufffd'],
    ['"\\ud83d\\ude00"', '😀'],
    ['"\\\\u0000"', '\\u0000'],
    ['["x",{"k":"\\u0000"}]', ['x', { k: '\ufffd' }]],
  ])('is replaced in %s', (json, expected) => {
    expect(metadataOf(`{"a":${json}}`)).toEqual({ a: expected });
  });

  it('is replaced in keys as well', () => {
    expect(metadataOf('{"a\\u0000":{"\\udfff":1}}')).toEqual({ 'a\ufffd': { '\ufffd': 1 } });
  });

  it('cannot reach the prototype on the way', () => {
    const read = metadataOf('{"a":{"__proto__":{"polluted":"\\u0000"}}}');
    expect(Object.getPrototypeOf((read as { a: object }).a)).toBe(Object.prototype);
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('counting', () => {
  it('agrees with the encoder about bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(byteLength(text)).toBe(Buffer.byteLength(text));
      }),
    );
    expect(byteLength('\ud800a\udc00')).toBe(Buffer.byteLength('\ud800a\udc00'));
  });

  it('agrees with the parser about depth', () => {
    const depthOf = (value: unknown): number =>
      typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        const depth = depthOf(value);
        const json = JSON.stringify(value, undefined, 1);
        expect(isNestedDeeperThan(json, depth)).toBe(false);
        if (depth > 0) expect(isNestedDeeperThan(json, depth - 1)).toBe(true);
      }),
    );
  });
});
