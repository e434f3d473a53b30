// What follows, according to a mail.
import { expect, test } from 'vitest';
import { eventTypesOf } from '../../../api/event-types/event-catalogue.ts';
import { operationsEventNames } from '../../../lib/model/event-name.ts';
import { writeNoticeMail } from '../../../lib/webhooks/notice-mail.ts';

type Notice = { data: { uid: string; lastAttempt: object } };

const failing = eventTypesOf('app_1').find(({ event }) => event === 'webhook.failing')
  ?.sample as Notice;

function textAfter(lastAttempt: object): string {
  const { data, ...payload } = failing;
  const written = { ...data, lastAttempt: { ...data.lastAttempt, ...lastAttempt } };
  const body = JSON.stringify({ ...payload, data: written });
  return writeNoticeMail(body, 'https://h.example.com').text;
}

test('the mail of a failing webhook promises retries only if there are any', () => {
  const retried = textAfter({ status: 503, errorClass: 'status' });
  expect(retried).toContain('deliveries are retried');
  expect(retried).toContain('deliveries?state=retrying');
  const refused = { status: null, errorClass: 'blocked', detail: 'the address is not public' };
  const blocked = textAfter(refused);
  expect(blocked).not.toContain('deliveries are retried');
  expect(blocked).toContain('If the URL itself is refused, they end as blocked');
  expect(blocked).toContain('deliveries?errorClass=blocked');
  expect(blocked).toMatch(/Send them again: +POST \S+\/recover$/m);
  for (const text of [retried, blocked]) expect(text).not.toContain('Nothing is lost');
});

test.each(operationsEventNames)('the mail of %s names its subject and misses no value', (event) => {
  const sample = eventTypesOf('app_1').find((type) => type.event === event)?.sample as Notice;
  const { subject, text } = writeNoticeMail(JSON.stringify(sample), 'https://h.example.com');
  expect(subject).toBe(`[agent-herald] ${event} ${sample.data.uid}`);
  expect(text).not.toMatch(/undefined|NaN/);
});
