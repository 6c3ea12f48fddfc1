import { execFile, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { atEnd } from '../kit/ends.ts';
import { createVictim, leaveNothing } from '../kit/processes.ts';
import { until } from '../kit/until.ts';
import { CLIENT_PROGRAM } from './client.ts';
import { openStage } from './stage.ts';

const run = promisify(execFile);
const PICTURE = join(import.meta.dirname, '../../dist/luanti/kick.png');
/** The size of the screen, which decides where the fields of the main menu are. */
const SIZE = { width: 800, height: 450 };
const PASSWORD_FIELD = { x: 566, y: 275 };
/** Of the message that a failed login brings; elsewhere the click does nothing. */
const OK_BUTTON = { x: 399, y: 307 };
const LOGIN_BUTTON = { x: 568, y: 303 };

/** A screen in memory, with the name that clients call it by. */
const openScreen = async (): Promise<string> => {
  const size = `${SIZE.width}x${SIZE.height}x24`;
  const screen = leaveNothing(spawn('Xvfb', ['-displayfd', '1', '-screen', '0', size, '-nolisten', 'tcp']));
  atEnd(() => screen.kill());
  let number = '';
  screen.stdout?.on('data', (text) => {
    number += String(text);
  });
  await until(() => number.endsWith('\n'), 'the screen has a number', { withinMs: 10_000 });
  return `:${number.trim()}`;
};

it('shows the reason of a kick in the window of a client that came through the main menu', async () => {
  const stage = await openStage();
  await stage.connected();
  // The menu has one button for new names and one for known ones: the world knows Ana.
  await stage.leave('ana', await stage.join('ana'));
  await until(async () => !(await stage.isOnline('ana')), 'Ana is offline');

  const display = await openScreen();
  const home = join(stage.folder, 'window');
  mkdirSync(home);
  const config = join(home, 'client.conf');
  const screen = `screen_w = ${SIZE.width}\nscreen_h = ${SIZE.height}\n`;
  const menu = `name = ana\naddress = 127.0.0.1\nremote_port = ${stage.server.port}\nmaintab_LAST = online\nserverlist_url =\n`;
  writeFileSync(config, `enable_sound = false\nenable_shaders = false\nfps_max = 15\n${screen}${menu}`);
  const env = { HOME: home, DISPLAY: display, LIBGL_ALWAYS_SOFTWARE: '1' };
  const args = ['--config', config, '--name', 'ana', '--address', '127.0.0.1', '--port', String(stage.server.port)];
  const client = createVictim(args, env, { program: CLIENT_PROGRAM });
  atEnd(() => client.kill());
  client.start();

  const tool = (...words: (string | number)[]) =>
    run('xdotool', words.map(String), { env: { ...process.env, ...env } });
  const joins = (): number => stage.server.told('join').length;
  const click = ({ x, y }: { x: number; y: number }) => tool('mousemove', x, y, 'click', 1);
  // The menu gives no sign that it is ready, so the login is tried until the player joins.
  while (joins() < 2) {
    await pause(2_000);
    await click(OK_BUTTON);
    await click(PASSWORD_FIELD);
    await tool('key', 'ctrl+a');
    await tool('type', 'secret');
    await pause(1_000);
    await click(LOGIN_BUTTON);
    await until(() => joins() === 2, 'Ana joins', { withinMs: 15_000 }).catch(() => undefined);
  }
  await until(() => stage.isOnline('ana'), 'Ana is listed');
  expect((await stage.kick('ana', 'Please read the rules of this server')).status).toBe(200);
  await until(() => client.said().includes('Reason: Kicked: Please read the rules'), 'the client is told');
  // The dialog is drawn after the log line.
  await pause(3_000);
  expect(client.isRunning()).toBe(true);
  mkdirSync(join(PICTURE, '..'), { recursive: true });
  await run('import', ['-window', 'root', '-colors', '64', PICTURE], { env: { ...process.env, ...env } });
});
