import { expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../../server/platform/config.ts';
import { NOWHERE, readReach } from '../../../server/platform/reach.ts';
import { Addresses, isPublic } from '../../../server/webhooks/address.ts';
import { startNameServer } from '../../kit/name-server.ts';

const addressesFor = (mayReach: string, servers?: string[]) => {
  return new Addresses({ reach: readReach(mayReach) ?? NOWHERE, servers });
};
const faultOf = (url: string, mayReach = ''): string => {
  const read = addressesFor(mayReach).read(url);
  return 'fault' in read ? read.fault : '';
};

it.each([
  'https://example.com/hook?thread_id=1',
  'https://example.com:8443/',
  'https://93.184.216.34/',
  'https://[2606:2800:220:1::1]/',
])('a webhook may be at %s', (url) => {
  expect(faultOf(url)).toBe('');
});

it.each([
  ['http://example.com/', 'https'],
  ['ftp://example.com/', 'https'],
  ['example.com/hook', 'must be an address'],
  ['https://user@example.com/', 'user name'],
  ['https://:secret@example.com/', 'user name'],
  ['https://example.com/#part', '#'],
  [`https://example.com/${'a'.repeat(2_048)}`, '2048'],
  // Other ways to write 127.0.0.1, 169.254.169.254 and 10.0.0.1.
  ['https://127.0.0.1/', 'not public'],
  ['https://127.1/', 'not public'],
  ['https://0x7f.1/', 'not public'],
  ['https://2130706433/', 'not public'],
  ['https://0177.0.0.1/', 'not public'],
  ['https://169.254.169.254/latest', 'not public'],
  ['https://10.0.0.1./', 'not public'],
  ['https://0.0.0.0/', 'not public'],
  ['https://100.64.0.1/', 'not public'],
  ['https://198.18.0.1/', 'not public'],
  ['https://255.255.255.255/', 'not public'],
  ['https://[::1]/', 'not public'],
  ['https://[::]/', 'not public'],
  ['https://[::ffff:127.0.0.1]/', 'not public'],
  ['https://[::ffff:93.184.216.34]/', 'not public'],
  ['https://[::7f00:1]/', 'not public'],
  ['https://[64:ff9b::7f00:1]/', 'not public'],
  ['https://[2002:7f00:1::]/', 'not public'],
  ['https://[2001:0:7f00:1::]/', 'not public'],
  ['https://[2001:db8::1]/', 'not public'],
  ['https://[fd00::1]/', 'not public'],
  ['https://[fe80::1]/', 'not public'],
  ['https://[ff02::1]/', 'not public'],
])('a webhook may not be at %s', (url, reason) => {
  expect(faultOf(url)).toContain(reason);
});

it('the operator allows hosts and ranges, also by http', () => {
  const allowed = 'bot, 10.1.0.0/16,fd00::/8, 127.0.0.1';
  for (const url of [
    ...['http://bot:3000/', 'http://BOT/', 'https://bot/', 'http://10.1.2.3/', 'https://[fd12::1]/'],
    ...['http://127.0.0.1:9/', 'http://[::ffff:127.0.0.1]/'],
  ]) {
    expect(faultOf(url, allowed), url).toBe('');
  }
  for (const url of ['http://bots/', 'https://10.2.0.1/', 'https://127.0.0.2/', 'http://example.com/']) {
    expect(faultOf(url, allowed), url).not.toBe('');
  }
});

it.each(['bot,', '10.0.0.0/33', 'fd00::/129', '10.0.0', 'https://bot', '10.0.0.0/8/8', '*.example.com', 'a b'])(
  'WEBHOOKS_MAY_REACH=%s stops the start',
  (text) => {
    expect(() => readConfig({ WEBHOOKS_MAY_REACH: text })).toThrow(ConfigError);
  },
);

it.each([
  // The first and the last address that is special, and their public neighbours.
  ['0.0.0.0', '0.255.255.255', undefined, '1.0.0.0'],
  ['10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['224.0.0.0', '255.255.255.255', '223.255.255.255', undefined],
  ['::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined, '2000::'],
  ['2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2000:ffff::', '2001:200::'],
  ['2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7::', '2001:db9::'],
  ['2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff::', '2003::'],
  ['3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe:ffff::', '3fff:1000::'],
  ['4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:ffff::', undefined],
  // Forms of IPv4 inside of IPv6: mapped, compatible, NAT64.
  ['::ffff:93.184.216.34', '::ffff:5db8:d822', undefined, undefined],
  ['::93.184.216.34', '::7f00:1', undefined, undefined],
  ['64:ff9b::93.184.216.34', '64:ff9b:1::1', undefined, undefined],
])('from %s to %s no address is public, and what lies beside it is', (from, to, before, after) => {
  expect([from, to].map(isPublic)).toEqual([false, false]);
  expect([before, after].map((each) => each === undefined || isPublic(each))).toEqual([true, true]);
});

it.each([
  [['93.184.216.34', '2606:2800:220:1::1'], ''],
  [['93.184.216.34', '10.0.0.1'], 'not public'],
  [['93.184.216.34', '::1'], 'not public'],
  [['::ffff:7f00:1'], 'not public'],
  [['169.254.169.254'], 'not public'],
  [[], 'not found'],
])('a name with the addresses %j is resolved as a whole or not at all', async (found, reason) => {
  const { address } = await startNameServer(() => found);
  const resolved = await addressesFor('', [address])
    .resolve('hook.example')
    .then((all) => all.map((each) => each.address).toSorted(), String);
  if (reason === '') expect(resolved).toEqual(found.toSorted());
  else expect(resolved).toContain(reason);
});

it('a name server that says nothing costs three seconds at most', async () => {
  const { address, asked } = await startNameServer((_name, family) => (family === 6 ? undefined : ['93.184.216.34']));
  const silent = await startNameServer(() => undefined);
  const none = expect(addressesFor('', [silent.address]).resolve('silent.example')).rejects.toThrow('not found');
  expect(await addressesFor('', [address]).resolve('half.example')).toEqual([{ address: '93.184.216.34', family: 4 }]);
  expect(asked).toContain('6 half.example');
  await none;
});

it('the list of hosts of the machine counts for allowed names only', async () => {
  const { address, asked } = await startNameServer(() => []);
  const found = await addressesFor('localhost', [address]).resolve('localhost');
  expect(found.map((each) => each.address)).toContain('127.0.0.1');
  expect(asked).toEqual([]);
  await expect(addressesFor('', [address]).resolve('localhost')).rejects.toThrow();
});
