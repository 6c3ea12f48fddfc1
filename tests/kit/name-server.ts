import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { atEnd } from './ends.ts';

const TYPES: Record<number, 4 | 6> = { 1: 4, 28: 6 };

/** The 16 bytes of an IPv6 address without a dotted part. */
const bytesOf6 = (address: string): Buffer => {
  const [head = '', tail] = address.split('::');
  const groups = (text: string | undefined): string[] => (text === undefined || text === '' ? [] : text.split(':'));
  const [before, after] = [groups(head), groups(tail)];
  const between = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return Buffer.from([...before, ...between, ...after].map((group) => group.padStart(4, '0')).join(''), 'hex');
};

const bytesOf = (address: string): Buffer =>
  address.includes(':') ? bytesOf6(address) : Buffer.from(address.split('.').map(Number));

/** The name of the first question of a DNS message (RFC 1035), its type, and where the question ends. */
const questionOf = (message: Buffer): { name: string; type: number; end: number } => {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1), end: at + 5 };
};

/**
 * A name server on loopback that a real `dns.Resolver` asks. `addressesOf` is called for each A and AAAA question; undefined:
 * no answer is sent. Checked against the resolver of Node.js 24 (c-ares).
 */
export const startNameServer = async (addressesOf: (name: string, family: 4 | 6) => string[] | undefined) => {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (message, from) => {
    const { name, type, end } = questionOf(message);
    const family = TYPES[type];
    const found = family === undefined ? [] : addressesOf(name, family);
    asked.push(`${family ?? type} ${name}`);
    if (found === undefined) return;
    const answers = found
      .filter((address) => address.includes(':') === (family === 6))
      .map((address) => {
        const data = bytesOf(address);
        const head = Buffer.alloc(12);
        head.writeUInt16BE(0xc00c, 0);
        head.writeUInt16BE(type, 2);
        head.writeUInt16BE(1, 4);
        head.writeUInt16BE(data.length, 10);
        return Buffer.concat([head, data]);
      });
    const header = Buffer.alloc(12);
    message.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    socket.send(Buffer.concat([header, message.subarray(12, end), ...answers]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  atEnd(() => {
    socket.close();
  });
  return { address: `127.0.0.1:${socket.address().port}`, asked };
};
