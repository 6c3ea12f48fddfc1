import { type LookupAddress, lookup, promises } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import type { Reach } from '../platform/reach.ts';

/** The longest address of a webhook, characters. */
export const MAX_URL = 2_048;

/** How long the name servers have for one name, in all. */
const RESOLVE_MS = 3_000;

/** IPv4 addresses that are no host of the public internet (IANA's registry of special addresses). */
const SPECIAL_4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
];
/** The only range of public IPv6 addresses, and what is special inside of it: protocols, documentation, 6to4. */
const PUBLIC_6 = ['2000::/3'];
const SPECIAL_6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

const listOf = (ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
};
const special4 = listOf(SPECIAL_4, 'ipv4');
const public6 = listOf(PUBLIC_6, 'ipv6');
const special6 = listOf(SPECIAL_6, 'ipv6');

/** Whether an IP address is a host of the public internet. A mapped or embedded IPv4 address never is. */
export const isPublic = (address: string): boolean => {
  const version = isIP(address);
  if (version === 4) return !special4.check(address, 'ipv4');
  return version === 6 && public6.check(address, 'ipv6') && !special6.check(address, 'ipv6');
};

/** The hub does not connect to an address. The message is for the owner of the webhook. */
export class AddressError extends Error {
  override name = 'AddressError';
}

/** Without the brackets of an IPv6 address and without the dot at the end of a full name. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');

const PRIVATE = 'leads into a network that is not public; the operator can allow it with WEBHOOKS_MAY_REACH';

/** Whom the hub may send to: hosts of the public internet by https, and what the operator allows. */
export class Addresses {
  readonly #reach: Reach;
  readonly #servers: readonly string[] | undefined;

  /** `servers`: name servers, each as `address:port`; absent: those of the machine. */
  constructor({ reach, servers }: { reach: Reach; servers?: readonly string[] | undefined }) {
    this.#reach = reach;
    this.#servers = servers;
  }

  /** Reads the address of a webhook; the path stays as it is. `fault`: why the hub would never send to it. */
  read(text: string): { url: URL } | { fault: string } {
    if (text.length > MAX_URL) return { fault: `must have at most ${MAX_URL} characters` };
    if (!URL.canParse(text)) return { fault: 'must be an address such as https://example.com/hook' };
    const url = new URL(text);
    const host = hostOf(url);
    if (!/^https?:$/.test(url.protocol)) return { fault: 'must begin with https://' };
    if (url.username !== '' || url.password !== '') return { fault: 'must have no user name and no password in it' };
    if (url.hash !== '') return { fault: 'must have no part after #' };
    const isAllowed = this.isAllowed(url);
    if (isIP(host) !== 0 && !isAllowed && !isPublic(host)) return { fault: PRIVATE };
    if (url.protocol === 'http:' && !isAllowed) {
      return { fault: 'must begin with https://; the operator can allow http with WEBHOOKS_MAY_REACH' };
    }
    return { url };
  }

  /**
   * The addresses of a name, all of them checked; a connection must use these and ask nobody again.
   * @throws AddressError
   */
  async resolve(name: string): Promise<LookupAddress[]> {
    const host = name.toLowerCase().replace(/\.$/, '');
    const isKnown = this.#reach.hosts.has(host);
    const found = isKnown ? await this.#ofMachine(host) : await this.#ofServers(host);
    if (found.length === 0) throw new AddressError('The name of the host has no address.');
    // One bad address is enough: the connection takes whichever answers first.
    const isGood = isKnown || found.every(({ address }) => isPublic(address) || this.#isInRange(address));
    if (!isGood) throw new AddressError(`The name of the host ${PRIVATE}.`);
    return found;
  }

  /** Whether the operator has named the host of an address, or its range. */
  isAllowed(url: URL): boolean {
    const host = hostOf(url);
    return this.#reach.hosts.has(host) || (isIP(host) !== 0 && this.#isInRange(host));
  }

  #isInRange(address: string): boolean {
    return this.#reach.ranges.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  }

  /** As other programs of this machine do: with its list of hosts. */
  #ofMachine(host: string): Promise<LookupAddress[]> {
    return new Promise((resolve, reject) => {
      lookup(host, { all: true }, (error, found) => {
        if (error === null) resolve(found);
        else reject(new AddressError(`The name of the host was not found (${error.code}).`));
      });
    });
  }

  /** Of the name servers alone: the machine's list of hosts is no business of tenants. */
  async #ofServers(host: string): Promise<LookupAddress[]> {
    const resolver = new promises.Resolver({ timeout: RESOLVE_MS, tries: 1 });
    if (this.#servers !== undefined) resolver.setServers(this.#servers);
    const timer = setTimeout(() => resolver.cancel(), RESOLVE_MS);
    try {
      const [of4, of6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      const found = [
        ...(of4.status === 'fulfilled' ? of4.value.map((address) => ({ address, family: 4 })) : []),
        ...(of6.status === 'fulfilled' ? of6.value.map((address) => ({ address, family: 6 })) : []),
      ];
      if (found.length > 0 || of4.status !== 'rejected') return found;
      const { code } = of4.reason as NodeJS.ErrnoException;
      throw new AddressError(`The name of the host was not found (${code ?? 'unknown'}).`);
    } finally {
      clearTimeout(timer);
    }
  }
}
