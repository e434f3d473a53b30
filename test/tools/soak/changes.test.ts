// Which events count as acknowledged in a soak.
import { expect, test } from 'vitest';
import { keepAcknowledged, type MakeChange } from '../../soak/changes.ts';

test.each<[string, Awaited<ReturnType<MakeChange>>, string[]]>([
  ['a report that was accepted', { status: 202, body: { eventId: 'evt_1' } }, ['evt_1']],
  ['the last status of a success', { status: 299, body: { eventId: 'evt_1' } }, ['evt_1']],
  ['one just beyond', { status: 300, body: { eventId: 'evt_1' } }, []],
  ['a change of a resource', { status: 200, body: { uid: 'agt_1' } }, []],
])('of %s the acknowledged events are kept', async (_name, answer, kept) => {
  const eventIds: string[] = [];
  expect(await keepAcknowledged(async () => answer, eventIds)()).toBe(answer);
  expect(eventIds).toEqual(kept);
});

test('an interrupted call acknowledges nothing', async () => {
  const eventIds: string[] = [];
  const broken = keepAcknowledged(() => Promise.reject(new Error('reset')), eventIds);
  await expect(broken()).rejects.toThrow('reset');
  expect(eventIds).toEqual([]);
});
