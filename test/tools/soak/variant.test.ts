// The variants of the soaks: each seed is one, with the responses of its receivers.
import { expect, test } from 'vitest';
import { readConfig } from '../../../lib/config/config.ts';
import { makeDevSecrets } from '../../../dev/start/dev-secrets.ts';
import { responsesOf, variantOf } from '../../soak/variant.ts';

test('four seeds in a row are the four variants, and the fifth is the first again', () => {
  const kinds = [1, 2, 3, 4, 5].map((seed) => {
    const { env, refusesFirst } = variantOf(seed);
    const settings = { ...makeDevSecrets(), MONGODB_URI: 'mongodb://localhost', ...env };
    return { apiDelivers: readConfig(settings).apiDelivers, refusesFirst };
  });
  expect(kinds).toEqual([
    { apiDelivers: true, refusesFirst: false },
    { apiDelivers: false, refusesFirst: true },
    { apiDelivers: false, refusesFirst: false },
    { apiDelivers: true, refusesFirst: true },
    { apiDelivers: true, refusesFirst: false },
  ]);
});

test('the first request of a delivery is refused, the next ones are accepted', () => {
  const statusOf = responsesOf({ refusesFirst: true });
  const statuses = [1, 1, 1, 2, 2].map((hook) => statusOf({ eventId: 'evt_1', hook }));
  expect(statuses).toEqual([500, 200, 200, 500, 200]);
  expect(statusOf({ eventId: 'evt_2', hook: 1 })).toBe(500);
});

test('every tenth ordered event is refused once', () => {
  const statusOf = responsesOf({ refusesFirst: true });
  const statuses = Array.from({ length: 20 }, (_, n) => statusOf({ eventId: `evt_${n}`, hook: 0 }));
  expect(statuses.flatMap((status, index) => (status === 500 ? [index] : []))).toEqual([9, 19]);
  expect(statusOf({ eventId: 'evt_9', hook: 0 })).toBe(200);
});

test('an accepting receiver refuses nothing', () => {
  expect(responsesOf({ refusesFirst: false })({ eventId: 'evt_1', hook: 1 })).toBe(200);
});
