// Deliberately slow clients next to normal ones.
import { Disposal } from '../../../lib/platform/disposal.ts';
import { compareBeside } from '../beside.ts';
import { startHelper } from '../helper-process.ts';
import { measure, type Measurement } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import type { Bench } from '../service.ts';
import { sized } from '../settings.ts';
import type { SlowSocketsSeen, SlowTarget } from '../slow-sockets-process.ts';
import { planSignIns } from './sign-in.ts';

export const slowSockets: Scenario = {
  name: 'slow-sockets',
  about: '100 sign-ins a second for 30 s, alone and beside 2,000 connections that are slow',
  isMain: true,
  async run(bench) {
    const alone = await measure(bench, planSignIns(bench, { name: 'alone', seconds: 30 }));
    const sockets = sized(bench.settings, 2_000, 200);
    const { measurement: beside, seen } = await measureBeside(bench, sockets);
    const { note, missed } = compareBeside({
      what: `sign-ins, beside ${sockets} slow connections`,
      aloneMs: alone.answerMs?.p99,
      besideMs: beside.answerMs?.p99,
    });
    const cutAfterS = (seen.cutAfterMsMax / 1_000).toFixed(1);
    const notes = [
      '“event” means a sign-in here.',
      note,
      `${seen.cut} slow connections were ended by the api, the last of them ${cutAfterS} s after it began; each was opened again.`,
    ];
    return { measurements: [alone, beside], notes, missed };
  },
};

async function measureBeside(
  bench: Bench,
  sockets: number,
): Promise<{ measurement: Measurement; seen: SlowSocketsSeen }> {
  await using open = new Disposal();
  const plan = planSignIns(bench, { name: `beside ${sockets} slow`, seconds: 30 });
  let seen: SlowSocketsSeen = { cut: 0, cutAfterMsMax: 0 };
  const measurement = await measure(bench, {
    ...plan,
    async prepare(app, caller) {
      await plan.prepare(app, caller);
      const { appUid, apiKey } = app;
      const input: SlowTarget = { apiUrl: bench.service.apiUrl, appUid, apiKey, sockets };
      const onMessage = (said: unknown): void => void (seen = said as SlowSocketsSeen);
      open.use(await startHelper('slow-sockets-process.ts', { input, onMessage }));
    },
  });
  return { measurement, seen };
}
