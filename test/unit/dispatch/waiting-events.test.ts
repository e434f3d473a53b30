// The grouping of waiting events into workflows.
import { expect, test } from 'vitest';
import type { EventToDispatch } from '../../../lib/model/event.ts';
import { WaitingEvents } from '../../../lib/dispatch/waiting-events.ts';

let made = 0;

function event(appUid: string, webhooks = 1): EventToDispatch {
  made += 1;
  return {
    _id: `evt_${made}`,
    appUid,
    event: 'agent.updated',
    resourceUid: 'agt_1',
    externalTenantId: 'tenant-1',
    webhookUids: Array.from({ length: webhooks }, (_, n) => `whk_${n}`),
    workflowId: null,
    createdAt: new Date(0),
  };
}

function waitingWith(events: readonly EventToDispatch[]): WaitingEvents {
  const waiting = new WaitingEvents();
  for (const each of events) waiting.add(each);
  return waiting;
}

test('events of one application share a workflow, oldest first, up to a maximum', () => {
  const events = [event('app_a'), event('app_a'), event('app_a')];
  const waiting = waitingWith(events);
  expect(waiting.take(2)).toEqual(events.slice(0, 2));
  expect(waiting.count).toBe(1);
  expect(waiting.take(2)).toEqual(events.slice(2));
  expect(waiting.take(2)).toEqual([]);
});

test('applications never share a workflow, and take turns even if one has many events', () => {
  const busy = Array.from({ length: 5 }, () => event('app_busy'));
  const quiet = event('app_quiet');
  const waiting = waitingWith([...busy, quiet]);
  expect(waiting.take(2)).toEqual(busy.slice(0, 2));
  expect(waiting.take(2)).toEqual([quiet]);
  expect(waiting.take(2)).toEqual(busy.slice(2, 4));
});

test.each([
  [[250, 250, 1], 2],
  [[250, 251], 1],
  [[499, 1, 1], 2],
  [[1_000, 1], 1],
])('of events with %p webhooks, the first %p share a workflow', (webhooks, together) => {
  const waiting = waitingWith(webhooks.map((count) => event('app_a', count)));
  expect(waiting.take(60)).toHaveLength(together);
});

test('clearing removes the waiting events of an application and returns their number', () => {
  const waiting = waitingWith([event('app_a'), event('app_b'), event('app_a')]);
  expect(waiting.clear('app_a')).toBe(2);
  expect(waiting.clear('app_a')).toBe(0);
  expect(waiting.count).toBe(1);
  expect(waiting.take(60).map(({ appUid }) => appUid)).toEqual(['app_b']);
});
