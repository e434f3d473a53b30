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

test('the events of an application share a workflow, oldest first, up to a maximum', () => {
  const events = [event('app_a'), event('app_a'), event('app_a')];
  const waiting = waitingWith(events);
  expect(waiting.take(2)).toEqual(events.slice(0, 2));
  expect(waiting.count).toBe(1);
  expect(waiting.take(2)).toEqual(events.slice(2));
  expect(waiting.take(2)).toEqual([]);
});

test('applications share a workflow, and take turns even if one has many events', () => {
  const busy = Array.from({ length: 5 }, () => event('app_busy'));
  const quiet = event('app_quiet');
  const waiting = waitingWith([...busy, quiet]);
  expect(waiting.take(3)).toEqual([busy[0], quiet, busy[1]]);
  expect(waiting.take(3)).toEqual(busy.slice(2));
});

test('an event with too many deliveries for a workflow leaves the room to another application', () => {
  const [large, small, next] = [event('app_a', 450), event('app_b', 50), event('app_a', 1)];
  const waiting = waitingWith([large, event('app_a', 51), small, next]);
  expect(waiting.take(60)).toEqual([large, small]);
  expect(waiting.count).toBe(2);
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

test('clearing removes and returns all waiting events', () => {
  const events = [event('app_a'), event('app_b')];
  const waiting = waitingWith(events);
  expect(waiting.clear()).toEqual(events);
  expect(waiting.count).toBe(0);
  expect(waiting.take(60)).toEqual([]);
});
