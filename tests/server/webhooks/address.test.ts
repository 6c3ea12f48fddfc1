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

it('no address in a special range of IPv4 or IPv6 is public', () => {
  const special = ['172.31.255.255', '192.0.2.1', '203.0.113.9', '224.0.0.1', '3fff::1', '5f00::1', '::1.2.3.4'];
  expect(special.filter(isPublic)).toEqual([]);
  expect(['172.32.0.1', '8.8.8.8', '2a00:1450::1', '100.128.0.1'].filter((each) => !isPublic(each))).toEqual([]);
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
  expect(await addressesFor('', [address]).resolve('half.example')).toEqual([{ address: '93.184.216.34', family: 4 }]);
  expect(asked).toContain('6 half.example');
  const silent = await startNameServer(() => undefined);
  await expect(addressesFor('', [silent.address]).resolve('silent.example')).rejects.toThrow('not found');
});

it('the list of hosts of the machine counts for allowed names only', async () => {
  const { address, asked } = await startNameServer(() => []);
  const found = await addressesFor('localhost', [address]).resolve('localhost');
  expect(found.map((each) => each.address)).toContain('127.0.0.1');
  expect(asked).toEqual([]);
  await expect(addressesFor('', [address]).resolve('localhost')).rejects.toThrow();
});
