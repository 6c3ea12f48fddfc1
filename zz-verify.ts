import { verify } from '/work/wt-truth/conformance/verify.ts';
import { WORLDS } from '/work/wt-truth/tests/bridge/frameworks.ts';
import { launchWorld } from '/work/wt-truth/tests/bridge/launcher.ts';
const names = process.argv.slice(2);
await Promise.all(WORLDS.filter((w) => names.includes(w.name)).map(async (world) => {
  const start = performance.now();
  const { launcher } = launchWorld(world);
  const report = await verify({ port: 0, launcher, burst: 60, isSlow: process.env.SLOW === "1", waits: { heldMs: 30, toldMs: 60, awayMs: 150, hammerMs: 0 } });
  console.log(world.name, Math.round(performance.now() - start), 'ms', 'pass', report.rules.filter((r) => r.outcome === 'pass').length);
  for (const r of report.rules) if (r.outcome !== 'pass') console.log(' ', world.name, r.outcome, r.rule, r.text);
}));
process.exit(0);
