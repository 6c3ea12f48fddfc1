import { onTestFinished } from 'vitest';
import { newSetupLink } from '../../server/admin/projects.ts';
import { newFolder } from './folder.ts';
import type { HubOptions } from './hub.ts';
import { hubDatabase } from './hub-database.ts';
import { type HubNode, openHubNode } from './hub-node.ts';

type EmptyHubOptions = Pick<HubOptions, 'env' | 'folder' | 'logTo' | 'tuning' | 'panel'>;

/** A hub that listens on a database without a project, until the test ends. */
export const startEmptyHub = async ({ env = {}, tuning = {}, logTo, folder, panel }: EmptyHubOptions = {}) => {
  const databaseUrl = await hubDatabase(folder ?? newFolder());
  const node: HubNode = await openHubNode({ env, tuning, databaseUrl, natsUrl: undefined, logTo, panel });
  const { port } = await node.hub.start();
  onTestFinished(node.kill);
  const address = `http://127.0.0.1:${port}`;
  const send = (path: string, body: object | undefined, headers: Record<string, string> = {}) =>
    fetch(`${address}${path}`, {
      headers: { 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
  const newToken = async (): Promise<string> => (await newSetupLink(node.store, address))?.split('#')[1] ?? '';
  /** Opens a link as a browser does; the headers are those of its next requests. */
  const open = async (token: string, headers: Record<string, string> = {}) => {
    const opened = await send('/setup/open', { token }, headers);
    const cookie = opened.headers.get('set-cookie') ?? '';
    return { status: opened.status, cookie, headers: { ...headers, Cookie: cookie.split(';', 1)[0] ?? '' } };
  };
  return { ...node, address, send, newToken, open };
};
