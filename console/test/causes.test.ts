import type { Webhook, WebhookFailure } from '@agent-herald/client';
import { expect, test } from 'vitest';
import { causesOf } from '../src/pages/overview/causes.ts';

type Latest = NonNullable<WebhookFailure['latest']>;

const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 7, minute)).toISOString();

function webhook(uid: string, url = 'https://hooks.example/x'): Webhook {
  return { uid, url } as unknown as Webhook;
}

function failed(
  webhookUid: string,
  latest: Partial<Latest> | null,
  fields: Partial<WebhookFailure> = {},
): WebhookFailure {
  const base = { eventId: 'evt_1', at: at(30), status: null, errorClass: null, detail: null };
  const whole = latest === null ? null : { ...base, ...latest };
  return { webhookUid, failingSince: at(15), latest: whole, change: null, ...fields };
}

const refused = { errorClass: 'status', status: 401 } as const;
const connect = { errorClass: 'connect' } as const;

test('equal responses are one cause, whoever sends them; the largest group comes first', () => {
  const webhooks = [webhook('a', 'https://one.example/'), webhook('b'), webhook('c')];
  const causes = causesOf(
    [
      failed('a', refused),
      failed('b', { errorClass: 'status', status: 500 }),
      failed('c', refused),
    ],
    webhooks,
  );
  expect(causes.map(({ title, webhooks: all }) => [title, all.map(({ uid }) => uid)])).toEqual([
    ['The receiver responded with 401', ['a', 'c']],
    ['The receiver responded with 500', ['b']],
  ]);
});

test('a host that cannot be reached is a cause of its own, with its port', () => {
  const webhooks = [
    webhook('a', 'https://one.example:8443/a'),
    webhook('b', 'https://one.example:8443/b'),
    webhook('c', 'https://one.example/'),
  ];
  const causes = causesOf(
    [failed('a', connect), failed('b', connect), failed('c', connect)],
    webhooks,
  );
  expect(causes.map(({ title }) => title)).toEqual([
    'The receiver could not be reached: one.example:8443',
    'The receiver could not be reached: one.example',
  ]);
});

test('a cause began with the first of its webhooks, and names the latest change', () => {
  const [cause] = causesOf(
    [
      failed('a', refused, { failingSince: at(16), change: { what: 'url', at: at(12) } }),
      failed('b', refused, { failingSince: at(15), change: { what: 'secret', at: at(14) } }),
      failed('c', refused, { failingSince: at(17) }),
    ],
    [webhook('a'), webhook('b'), webhook('c')],
  );
  expect(cause?.since).toBe(at(15));
  expect(cause?.change).toEqual({ text: 'the secret was rotated', at: at(14) });
});

test('a webhook without a failed delivery is shown, and one that was deleted meanwhile is not', () => {
  const causes = causesOf([failed('a', null), failed('deleted', refused)], [webhook('a')]);
  expect(causes.map(({ title, remedy }) => [title, remedy])).toEqual([
    ['No failed delivery is left', null],
  ]);
});
