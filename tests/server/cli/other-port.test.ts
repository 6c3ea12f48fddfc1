import { describe, expect, it, onTestFinished } from 'vitest';
import { openWorkplace, SLOW } from '../../kit/cli.ts';
import { examine } from '../../kit/doctor.ts';
import { freePort } from '../../kit/free-port.ts';

describe('a hub whose port the shell does not know', SLOW, () => {
  it('is found by setup-link and doctor, because its lock file names it', async () => {
    const place = openWorkplace(onTestFinished);
    const port = String(await freePort());
    const elsewhere = { PORT: String(await freePort()) };
    const hub = await place.startEmptyHub({ PORT: port });
    const link = await place.verb(['setup-link'], elsewhere);
    expect(link.stdout).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/setup#cws_`));
    const { of } = await examine(place, elsewhere);
    expect(of('port')).toMatchObject({ status: 'ok', text: `a hub answers at 127.0.0.1, port ${port}` });
    await hub.stop();
    const ended = await examine(place, elsewhere);
    expect(ended.of('port')?.text).toContain(`no hub runs at 127.0.0.1, port ${elsewhere.PORT}`);
  });
});
