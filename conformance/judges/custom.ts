import { readDeclaration } from '../../bridge-protocol/custom/roles.ts';
import type { BridgeMessage, MessageOf } from '../../bridge-protocol/wire/messages.ts';
import type { Line } from '../line/line.ts';
import { Breach, type Findings } from './findings.ts';

type Announced = MessageOf<BridgeMessage, 'commands.custom'>['commands'];

/** Judges the announced custom commands, and whether every connection announces them. */
export const createCustomJudge = (findings: Findings) => {
  let known: Announced = [];
  let latest: Line | undefined;

  const expect = (holds: boolean, expected: string, saw: string): void => {
    findings.kept('R47');
    if (!holds) findings.broken('R47', new Breach({ rule: 'R47', expected, saw }));
  };

  const announced = (commands: Announced): void => {
    const names = commands.map(({ name }) => name);
    expect(new Set(names).size === names.length, 'each custom command once', names.join());
    for (const command of commands) {
      const read = readDeclaration(command);
      const problem = 'problem' in read ? read.problem : '';
      expect(problem === '', 'schemas and roles of custom commands that fit', `${command.name}: ${problem}`);
    }
  };

  return {
    heard: (line: Line, message: BridgeMessage): void => {
      if (message.type === 'commands.custom') {
        announced(message.commands);
        known = message.commands;
        latest = line;
      } else if (message.type === 'players.snapshot' && latest !== undefined && latest.number < line.number) {
        // A new process may not have its commands yet.
        if (known.length === 0 || latest.hello?.instance !== line.hello?.instance) return;
        expect(false, 'the custom commands again after a welcome, before the snapshot', 'players.snapshot');
      }
    },
    /** The last announcement. */
    known: (): Announced => known,
  };
};
