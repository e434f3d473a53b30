// The list of deliveries while they are made.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { startService, type TestService } from '../support/service.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';
import { itemsOf } from '../integration/api/problems.ts';

const responseMs = 300;
const changeCount = 60;

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  service = await startService();
  receiver = await startReceiver((response) => {
    setTimeout(() => response.writeHead(204).end(), responseMs);
  });
});

afterAll(async () => {
  await receiver?.[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

test('a delivery is listed from its event to its outcome, exactly once in each response', async () => {
  await registerWebhook(service, { url: receiver.url });
  const reported: string[] = [];
  const report = async (): Promise<void> => {
    for (let n = 0; n < changeCount; n += 1) {
      reported.push(await reportChange(service, { uid: `agt_${n}` }));
    }
  };
  const states = new Map<string, Set<string>>();
  const look = async (): Promise<number> => {
    const known = [...reported];
    const rows = itemsOf(await service.call('GET', '/deliveries?limit=200'));
    const ids = rows.map(({ eventId }) => String(eventId));
    expect(ids.length).toBe(new Set(ids).size);
    expect(known.filter((eventId) => !ids.includes(eventId))).toEqual([]);
    for (const { eventId, state } of rows) {
      const seen = states.get(String(eventId)) ?? new Set();
      states.set(String(eventId), seen.add(String(state)));
    }
    return rows.filter(({ state }) => state === 'delivered').length;
  };
  const follow = async (): Promise<void> => {
    while ((await look()) < changeCount);
  };
  await Promise.all([report(), follow()]);
  const seenInFlight = [...states.values()].filter((seen) => seen.has('pending'));
  expect(seenInFlight.length).toBeGreaterThan(changeCount / 2);
});
