import { describe, expect, it } from 'vitest';
import { bridgeUrlOf, readHub } from '../../panel/src/bridge-url.ts';

const PAGE = 'http://127.0.0.1:8080/servers';

describe('a typed address of the hub', () => {
  it.each([
    ['192.168.1.20', 'http://192.168.1.20:8080'],
    ['192.168.1.20:90', 'http://192.168.1.20:90'],
    [' hub.lan/ ', 'http://hub.lan:8080'],
    ['https://hub.example.com', 'https://hub.example.com'],
  ])('%j is the hub %s', (typed, origin) => {
    expect(readHub(typed, PAGE)).toEqual({ origin });
  });

  it.each(['192.168.1.20/hub', '192.168.1.20:90/hub', 'https://hub.example.com/a/', 'hub.lan?x', 'hub.lan#x'])(
    '%j has a path, which is not dropped in silence',
    (typed) => {
      expect(readHub(typed, PAGE)).toEqual({ wrong: 'path' });
    },
  );

  it.each(['', 'a b', 'ftp://hub.lan', 'localhost', '127.0.0.1:8080/hub', 'https://me:pw@hub.lan'])(
    '%j is no address for another machine',
    (typed) => {
      expect(readHub(typed, PAGE)).toEqual({ wrong: 'address' });
    },
  );

  it('becomes the address of the bridge', () => {
    expect(bridgeUrlOf('https://hub.example.com')).toBe('wss://hub.example.com/bridge');
  });
});
