import { BlockList, isIP } from 'node:net';

/** What one entry of WEBHOOKS_MAY_REACH may be. */
export const REACH_FORM = 'must be names of hosts, addresses and ranges such as 10.0.0.0/8, with commas between them';

const HOST = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/;

/** Places of the operator's own network that webhooks may reach: `hosts` by name, `ranges` by address. */
export type Reach = { hosts: ReadonlySet<string>; ranges: BlockList };

export const NOWHERE: Reach = { hosts: new Set(), ranges: new BlockList() };

const addRange = (ranges: BlockList, entry: string): boolean => {
  const [address = '', bits, ...more] = entry.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (bits === undefined) ranges.addAddress(address, family);
  else if (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128)) {
    ranges.addSubnet(address, Number(bits), family);
  } else return false;
  return true;
};

/** Reads the setting; undefined: an entry is neither a host nor an address nor a range. */
export const readReach = (text: string): Reach | undefined => {
  const hosts = new Set<string>();
  const ranges = new BlockList();
  for (const each of text.split(',')) {
    const entry = each.trim().toLowerCase();
    if (addRange(ranges, entry)) continue;
    // A number alone is an IPv4 address to a URL, never a name.
    if (!HOST.test(entry) || /(?:^|\.)\d+$/.test(entry)) return undefined;
    hosts.add(entry);
  }
  return { hosts, ranges };
};
