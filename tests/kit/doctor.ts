import { onTestFinished } from 'vitest';
import { openWorkplace } from './cli.ts';

type Finding = { check: string; status: 'ok' | 'warn' | 'fail'; text: string };
type Place = ReturnType<typeof openWorkplace>;

/** Runs `causeway doctor`, and reads its findings. */
export const examine = async (place: Place, env: Record<string, string> = {}, more: string[] = []) => {
  const { code, stdout, stderr } = await place.verb(['doctor', '--json', ...more], env);
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  const of = (name: string): Finding | undefined => findings.find(({ check }) => check === name);
  return { code, stdout, stderr, findings, of };
};

/** A workplace with a database, and the port of a hub that runs there. */
export const withHub = async (env: Record<string, string> = {}) => {
  const place = openWorkplace(onTestFinished);
  const hub = await place.startHub(env);
  return { place, hub, port: new URL(hub.address).port };
};
