import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** `down`: from the hub to the bridge. */
type Direction = 'up' | 'down';
type Wire = { near: Socket; far: Socket; isHeld: boolean; isDeaf: boolean; held: (() => void)[] };

/** The line between a bridge or a caller and its hub: it can be held, cut, cut inside a frame, and be out of order. */
export const openLine = async (target: () => number) => {
  const wires = new Set<Wire>();
  let cutting: { direction: Direction; part: string } | undefined;
  let isDown = false;

  const cut = ({ near, far }: Wire): void => {
    near.destroy();
    far.destroy();
  };

  const pass = (wire: Wire, act: () => void): void => {
    if (wire.isHeld) wire.held.push(act);
    else act();
  };

  const carry = (wire: Wire, direction: Direction): void => {
    const [from, to] = direction === 'up' ? [wire.near, wire.far] : [wire.far, wire.near];
    from.on('data', (bytes: Buffer) => {
      if (direction === 'down' && wire.isDeaf) return;
      const isCut = cutting?.direction === direction && bytes.includes(cutting.part);
      if (!isCut) return pass(wire, () => to.write(bytes));
      cutting = undefined;
      from.destroy();
      to.end(bytes.subarray(0, Math.ceil(bytes.length / 2)));
    });
    from.on('error', () => undefined);
    from.on('close', () => pass(wire, () => to.end()));
    from.on('close', () => {
      if (to.destroyed) wires.delete(wire);
    });
  };

  const server = createServer((near) => {
    const far = connect({ port: target(), host: '127.0.0.1' });
    const wire: Wire = { near, far, isHeld: false, isDeaf: false, held: [] };
    wires.add(wire);
    carry(wire, 'up');
    carry(wire, 'down');
    if (isDown) cut(wire);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  onTestFinished(() => {
    server.close();
    wires.forEach(cut);
  });

  return {
    url: `ws://127.0.0.1:${port}/bridge`,
    /** For callers. */
    address: `http://127.0.0.1:${port}`,
    /** Drops all later bytes of the current connections, without a close. */
    hold: (): void => {
      for (const wire of wires) wire.isHeld = true;
    },
    /** Delivers the held bytes to the ends that are still connected. */
    release: (): void => {
      for (const wire of wires) {
        wire.isHeld = false;
        for (const act of wire.held.splice(0)) act();
      }
    },
    /** Drops the frames of the hub to the current bridge; frames of the bridge arrive. */
    deafen: (): void => {
      for (const wire of wires) wire.isDeaf = true;
    },
    /** Delivers half of the next frame in this direction that contains this part, and then cuts the line. */
    cutInside: (direction: Direction, part = ''): void => {
      cutting = { direction, part };
    },
    /** Cuts all connections and refuses new ones, until `mend`. */
    break: (): void => {
      isDown = true;
      wires.forEach(cut);
    },
    mend: (): void => {
      isDown = false;
    },
  };
};
