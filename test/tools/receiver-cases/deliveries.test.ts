// The drafts of packages/receiver-cases/deliveries.json, signed like the service signs.
import {
  type Draft,
  nowSeconds,
  privateKey,
  secret,
  toCase,
  webhookUid,
} from '../../../dev/receiver-cases/draft.ts';
import { good } from '../../../dev/receiver-cases/good.ts';
import { hostile } from '../../../dev/receiver-cases/hostile.ts';
import { deliveryHeaders } from '../../../lib/deliveries/compose-message.ts';
import { deliveredEventNames, testEventName } from '../../../lib/model/event-name.ts';
import { optionsCases } from '../../support/receiver-cases.ts';

/** Returns the headers that the service would have sent for a case with a text as body. */
function sentHeaders(draft: Draft): Record<string, string> {
  const { signedWith = [secret], signedFor, sequence = 7 } = draft;
  const { headers, expect: expectation } = toCase({ ...draft, alter: (same) => same });
  const event = expectation.ok && expectation.test ? testEventName : 'agent.updated';
  return deliveryHeaders({
    isSync: false,
    webhookUid: signedFor ?? webhookUid,
    signingKey: signedFor === undefined ? null : privateKey,
    event: { _id: headers['webhook-id'] ?? '', event, sequence },
    body: draft.body as string,
    secrets: {
      body: signedWith[0] ?? '',
      standard: signedFor === undefined ? [...signedWith] : [],
    },
    attemptNumber: 1,
    attemptsLeft: 11,
    now: new Date(nowSeconds * 1_000),
  });
}

test('no two cases have the same name', () => {
  const names = [...good, ...hostile, ...optionsCases].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('each event has an accepted case', () => {
  const accepted = good.map((draft) => toCase(draft).expect);
  const events = new Set(accepted.map((each) => each.ok && each.event));
  for (const event of deliveredEventNames) expect(events).toContain(event);
});

const withText = good.filter(
  ({ body, timestamp }) => typeof body === 'string' && timestamp === undefined,
);

test.each(withText)('the service signs like the case: $name', (draft) => {
  const { 'User-Agent': userAgent, ...sent } = sentHeaders(draft);
  expect(userAgent).toBeDefined();
  expect(toCase({ ...draft, alter: (same) => same }).headers).toEqual(sent);
});
