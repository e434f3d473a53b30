import { expect, test } from 'vitest';
import {
  effectsOf,
  hasFailed,
  needsQuestion,
  resendLabel,
} from '../src/pages/deliveries/resend-choice.ts';

type Facts = Parameters<typeof hasFailed>[0];

const of = (state: Facts['state'], cancelReason: Facts['cancelReason'] = null): Facts => ({
  state,
  cancelReason,
});
const many = (count: number, facts: Facts): Facts[] => Array.from({ length: count }, () => facts);

test.each<[Facts, boolean, boolean]>([
  [of('exhausted'), true, false],
  [of('blocked'), true, false],
  [of('cancelled', 'expired'), true, false],
  [of('cancelled', 'abandoned'), true, false],
  [of('delivered'), false, true],
  [of('cancelled', 'discarded'), false, true],
  [of('cancelled', 'unsubscribed'), false, true],
  [of('pending'), false, true],
  [of('retrying'), false, false],
  [of('held'), false, false],
])('%j is selected as failed: %j; resending it alone asks first: %j', (facts, failed, asks) => {
  expect([hasFailed(facts), needsQuestion(facts)]).toEqual([failed, asks]);
});

test.each<[string, Facts[], string[]]>([
  [
    'failed and delivered ones',
    [...many(29, of('exhausted')), ...many(21, of('delivered'))],
    ['29 of these failed.', '21 of these were already delivered. Receivers will get them again.'],
  ],
  ['failed ones', [of('exhausted'), of('blocked')], ['All 2 failed.']],
  ['one', [of('delivered')], ['It was already delivered. The receiver will get it again.']],
  [
    'those that somebody cancelled',
    [
      of('cancelled', 'discarded'),
      ...many(2, of('cancelled', 'unsubscribed')),
      of('cancelled', 'erased'),
    ],
    [
      '1 of these was discarded on purpose. The receiver will get it anyway.',
      '2 of these were cancelled because the webhook no longer wanted them. Receivers will get them anyway.',
      '1 of these can no longer be sent: the payload was erased, or the webhook was deleted.',
    ],
  ],
  [
    'open ones',
    [of('retrying'), ...many(2, of('pending')), of('held')],
    [
      '2 of these are queued or being sent. Receivers may get them twice.',
      '1 of these is waiting for a retry. It will be sent now, and its retries start again.',
      '1 of these is held. It will be sent once the webhook is active.',
    ],
  ],
])('a resend of %s shows how many are in each state', (_what, deliveries, effects) => {
  expect(effectsOf(deliveries)).toEqual(effects);
});

test.each<[Facts[], string]>([
  [many(29, of('exhausted')), 'Resend 29 failed deliveries'],
  [[of('blocked')], 'Resend 1 failed delivery'],
  [[of('blocked'), of('delivered')], 'Resend 2 deliveries'],
  [[of('delivered')], 'Resend 1 delivery'],
])('the button for %j says "%s"', (deliveries, label) => {
  expect(resendLabel(deliveries)).toBe(label);
});
