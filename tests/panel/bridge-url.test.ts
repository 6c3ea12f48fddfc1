import { describe, expect, it } from 'vitest';
import { bridgeUrlOf, isPrivate, readHub } from '../../panel/src/bridge-url.ts';

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

describe('plain HTTP', () => {
  it.each([
    ...['127.0.0.1', '10.1.2.3', '192.168.1.20', '172.16.0.1', '172.31.9.9', '169.254.1.1', 'hub', 'hub.lan'],
    ...['[::1]', '[fd00::1]', '[fe80::1]', 'game.home.arpa'],
  ])('stays in the local network at %s', (host) => {
    expect(isPrivate(`http://${host}:8080`)).toBe(true);
  });

  it.each(['hub.example.com', '10.example.com', '203.0.113.7', '172.32.0.1', '[2001:db8::1]', '192.168.example.org'])(
    'goes over the internet at %s',
    (host) => {
      expect(isPrivate(`http://${host}:8080`)).toBe(false);
    },
  );
});
