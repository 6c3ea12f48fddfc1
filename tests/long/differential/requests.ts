import type { Dice } from './dice.ts';
import { PLAYERS } from './game.ts';
import type { Call } from './side.ts';

const BRIDGE = '/api/v2/bridge/main';
/** Its last character has two UTF-16 units: the hub cuts a reason for the wire. */
const LONG_REASON = `${'r'.repeat(511)}😀`;

/** Random requests of one caller, as a bot or the panel sends them. */
export class Requests {
  readonly #dice: Dice;
  readonly #keyed: Call[] = [];
  #made = 0;

  constructor(dice: Dice) {
    this.#dice = dice;
  }

  get hasKeys(): boolean {
    return this.#keyed.length > 0;
  }

  /** A new command. */
  command(): Call {
    const dice = this.#dice;
    const call = this.#post(
      dice.weighted<() => [path: string, json: object]>([
        [15, () => ['/kick', { target: this.#target(), ...this.#reason(), ...this.#expiry() }]],
        [40, () => ['/money', this.#money()]],
        [14, () => ['/items', { ...this.#items(), ...this.#waiting() }]],
        [4, () => ['/vehicles', { ...this.#vehicle(), ...this.#waiting() }]],
        [4, () => ['/job', { target: this.#target(), job: 'police', grade: dice.below(3), ...this.#waiting() }]],
        [3, () => ['/announce', { message: 'Hello' }]],
        [3, () => ['/message', { target: this.#target(), message: 'Hello' }]],
        [2, () => ['/freeze', { target: this.#target(), frozen: dice.chance(0.5) }]],
        [
          2,
          () => [
            '/teleport',
            { target: this.#target(), to: dice.pick([{ player: 'char1:ana' }, { x: 1, y: 2, z: 3 }]) },
          ],
        ],
        [5, () => [`/actions/rename${this.#waitingQuery()}`, { target: this.#target(), to: 'Z' }]],
        [4, () => [`/actions/fine${this.#waitingQuery()}`, { who: this.#target(), sum: dice.below(9) }]],
        [3, () => [`/actions/weather${this.#waitingQuery()}`, { kind: dice.pick(['rain', 'snow']) }]],
      ])(),
    );
    if (!dice.chance(0.5)) return call;
    const keyed = { ...call, headers: { ...call.headers, 'Idempotency-Key': `key-${this.#made}` } };
    this.#keyed.push(keyed);
    return keyed;
  }

  /** An earlier request with its key, as a caller who got no answer repeats it, or uses the key for something else. */
  repeated(): Call {
    const { json, headers = {}, ...call } = this.#dice.pick(this.#keyed);
    const isOther = this.#dice.chance(0.2);
    const { Prefer: _, ...kept } = headers;
    const changed = this.#dice.pick([{ target: 'char1:bob' }, { amount: 77 }, { reason: 'other' }]);
    this.#made += 1;
    return {
      ...call,
      json: isOther ? { ...(json as object), ...changed } : json,
      headers: { ...kept, ...this.#prefer(), 'X-Request-Id': `request-${this.#made}` },
    };
  }

  /** One command for three players, one of whom the hub may not know. */
  batch(): Call {
    const { target: _, deliver = 'now', ...params } = this.#money();
    const { expiresInSeconds = 60, ...rest } = params as { expiresInSeconds?: number };
    this.#made += 1;
    const third = this.#dice.pick(['char1:cid', 'license:ana', 'char9:nobody']);
    return {
      method: 'POST',
      path: '/api/v2/batches',
      json: {
        serverId: 'main',
        name: 'money',
        params: rest,
        targets: ['char1:ana', 'char1:bob', third],
        deliver,
        expiresInSeconds,
        ...(this.#dice.chance(0.3) && { abort: { failedPercent: 30, after: 1 } }),
      },
      headers: { 'Idempotency-Key': `batch-${this.#made}`, 'X-Request-Id': `request-${this.#made}` },
    };
  }

  takeBack(id: string): Call {
    return {
      method: 'POST',
      path: `/api/v2/${id.startsWith('bat') ? 'batches' : 'commands'}/${id}/void`,
      headers: this.#prefer(),
    };
  }

  resolve(id: string): Call {
    const json = { applied: this.#dice.chance(0.5), note: 'Looked into the game.' };
    return { method: 'POST', path: `/api/v2/commands/${id}/resolve`, json };
  }

  freshPlayer(): Call {
    const path = `/api/v2/players/${this.#target()}?serverId=main`;
    return { method: 'GET', path, headers: { 'Cache-Control': 'no-cache' } };
  }

  #post([path, json]: [path: string, json: object]): Call {
    this.#made += 1;
    const headers = { 'X-Request-Id': `request-${this.#made}`, ...this.#prefer() };
    return { method: 'POST', path: BRIDGE + path, json, headers };
  }

  #target(): string {
    return this.#dice.weighted([
      [40, PLAYERS[0]],
      [22, PLAYERS[1]],
      [14, PLAYERS[2]],
      [12, 'license:ana'],
      [4, 'license:cid'],
      [3, 'discord:both'],
      [5, 'char9:nobody'],
    ]);
  }

  #money() {
    return {
      target: this.#target(),
      type: this.#dice.weighted([
        [6, 'bank'],
        [3, 'cash'],
        [0.5, 'gold'],
      ]),
      amount: 1 + this.#dice.below(500),
      action: this.#dice.pick(['add', 'remove', 'deduct']),
      ...(this.#dice.chance(0.3) && { allowNegative: true }),
      ...this.#reason(),
      ...this.#waiting(),
    };
  }

  #items(): object {
    return {
      target: this.#target(),
      item: 'bread',
      count: 1 + this.#dice.below(9),
      action: this.#dice.pick(['add', 'remove']),
      ...(this.#dice.chance(0.2) && { metadata: { color: 'red' } }),
    };
  }

  #vehicle(): object {
    const action = this.#dice.pick(['give', 'take', 'store']);
    return { target: this.#target(), action, ...(action === 'give' ? { model: 'adder' } : { plate: 'abc 1' }) };
  }

  #reason(): object {
    return this.#dice.weighted([
      [6, {}],
      [3, { reason: 'For fun' }],
      [0.5, { reason: LONG_REASON }],
    ]);
  }

  #expiry(): { expiresInSeconds?: number } {
    return this.#dice.weighted([
      [6, {}],
      [2, { expiresInSeconds: 5 }],
      [1, { expiresInSeconds: 60 }],
    ]);
  }

  #waiting(): { deliver?: string; expiresInSeconds?: number } {
    const deliver = this.#dice.weighted([
      [5, undefined],
      [2, 'when_connected'],
      [3, 'when_online'],
    ]);
    return { ...(deliver !== undefined && { deliver }), ...this.#expiry() };
  }

  #waitingQuery(): string {
    const fields = Object.entries(this.#waiting()).map(([name, value]) => `${name}=${value}`);
    return fields.length === 0 ? '' : `?${fields.join('&')}`;
  }

  #prefer(): { Prefer?: string } {
    return this.#dice.weighted([
      [4, {}],
      [3, { Prefer: 'respond-async' }],
      [2, { Prefer: 'wait=1' }],
      [1, { Prefer: 'respond-async, wait=2' }],
    ]);
  }
}
