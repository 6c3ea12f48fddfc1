import { openWorld } from '../../simulator/world.ts';

/**
 * A process that carries out one money command and is killed on the way: inside the transaction, or after it and
 * before the answer is sent. Arguments: world file, target, moment.
 */
const [file = '', target = '', moment = ''] = process.argv.slice(2);
const die = () => process.kill(process.pid, 'SIGKILL');

let armed = false;
const now = (): number => {
  if (armed) die();
  return 1_760_000_000_000;
};
const world = openWorld({ file, players: 5, now });
world.journal.start('cmd_1', 'print');
armed = moment === 'inside the transaction';
world.commands.money(
  { target, type: 'bank', amount: 500, action: 'add', allowNegative: false },
  { id: 'cmd_1', fingerprint: 'print' },
);
die();
