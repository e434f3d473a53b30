// The clock that all processes follow.
import type { ServerHeartbeatSucceededEvent } from 'mongodb';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startServerClock } from '../../../lib/mongo/server-clock.ts';
import { Disposal } from '../../../lib/platform/disposal.ts';
import { processLog } from '../../../lib/platform/logger.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';
import { waitFor } from '../../support/wait-for.ts';

// A round trip on a fully loaded machine.
const errorMsMax = 500;

const open = new Disposal();
let installation: Installation;

beforeAll(async () => {
  installation = open.use(await createInstallation());
});

afterAll(() => open[Symbol.asyncDispose]());

const machine = (aheadMs: () => number) => ({ now: () => new Date(Date.now() + aheadMs()) });

test.each([20_000, -20_000])(
  'on a machine whose clock is %i ms ahead the time is that of MongoDB',
  async (shiftMs) => {
    const local = machine(() => shiftMs);
    await using clock = await startServerClock(installation.store, { local });
    expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(errorMsMax);
    expect(Math.abs(clock.aheadMs() - shiftMs)).toBeLessThan(errorMsMax);
  },
);

test("setting the machine's clock changes only the offset, which is logged", async () => {
  using logged = vi.spyOn(processLog, 'warn');
  let shiftMs = 0;
  const options = { local: machine(() => shiftMs), everyMs: 10 };
  await using clock = await startServerClock(installation.store, options);
  expect(logged).not.toHaveBeenCalled();
  for (const setMs of [60_000, 0]) {
    shiftMs = setMs;
    expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(errorMsMax);
    const isLogged = (): boolean =>
      logged.mock.calls.some(([fields, name]) => {
        const { aheadMs } = fields as { aheadMs: number };
        return name === 'clock.differs' && Math.abs(aheadMs - setMs) < errorMsMax;
      });
    await waitFor(isLogged, { what: 'clock.differs' });
  }
  expect(logged).toHaveBeenCalledTimes(2);
});

test('if MongoDB does not respond the time keeps running', async () => {
  using logged = vi.spyOn(processLog, 'warn');
  const { store } = installation;
  let isAway = false;
  const command = async (what: { hello: 1 }) => {
    if (isAway) throw new Error('away');
    return store.db.command(what);
  };
  const silenced = { ...store, db: { command } } as unknown as typeof store;
  await using clock = await startServerClock(silenced, { everyMs: 10 });
  isAway = true;
  await waitFor(() => logged.mock.calls.some((call) => call[1] === 'clock.not_measured'));
  expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(errorMsMax);
});

test("another member's clock is compared by the driver's heartbeats, and a difference is logged once", async () => {
  using logged = vi.spyOn(processLog, 'warn');
  const { store } = installation;
  const aheadMs = 10_000;
  await using clock = await startServerClock(store, { everyMs: 10 });
  // The test server has one member, whose heartbeats are real.
  const beat = setInterval(() => {
    const reply = { localTime: new Date(Date.now() + aheadMs) };
    const event = { connectionId: 'ahead:27017', reply } as unknown;
    store.client.emit('serverHeartbeatSucceeded', event as ServerHeartbeatSucceededEvent);
  }, 20);
  const lines = () => logged.mock.calls.filter(([, name]) => name === 'clock.members_differ');
  await waitFor(() => lines().length > 0, { what: 'clock.members_differ' });
  clearInterval(beat);
  const [[{ spreadMs, ...members }]] = lines() as unknown as [[{ spreadMs: number }]];
  expect(Math.abs(spreadMs - aheadMs)).toBeLessThan(errorMsMax);
  expect(members).toEqual({
    ahead: 'ahead:27017',
    behind: new URL(installation.config.mongodb.uri).host,
  });
  expect(lines()).toHaveLength(1);
  expect(Math.abs(clock.now().getTime() - Date.now())).toBeLessThan(errorMsMax);
});
