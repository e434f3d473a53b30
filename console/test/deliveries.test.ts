// The pages of deliveries.
import type { Attempt } from '@agent-herald/client';
import { meaningOf } from '../src/pages/deliveries/delivery-meaning.ts';
import {
  listRefreshMsOf,
  pauseReasonOf,
  refreshMsOf,
} from '../src/pages/deliveries/delivery-refresh.ts';
import { streamQueryOf } from '../src/pages/deliveries/stream-query.ts';
import {
  effectsOf,
  hasFailed,
  needsQuestion,
  resendLabel,
} from '../src/pages/deliveries/resend-choice.ts';
import { resendEach } from '../src/pages/deliveries/resend-each.ts';
import { curlCommand } from '../src/pages/deliveries/curl-command.ts';

const now = new Date('2026-11-23T12:00:00Z');
const schedule = ['5s', '30s', '2m', '90m', '1d'];

function failed(n: number, fields: Partial<Attempt> = {}): Attempt {
  return {
    n,
    at: now.toISOString(),
    trigger: n === 1 ? 'event' : 'retry',
    state: 'retrying',
    status: 500,
    errorClass: 'status',
    detail: null,
    ms: { total: 3 },
    responseSample: '',
    responseHeaders: [],
    traceId: null,
    ...fields,
  };
}

const timedOut = { status: null, errorClass: 'timeout' } as const;
const answered = (n: number): Attempt =>
  failed(n, { state: 'delivered', status: 204, errorClass: null });

type Facts = Partial<Parameters<typeof meaningOf>[0]>;

function meaning(facts: Facts, waits: string[] | null = schedule): string {
  const before = { state: 'pending', cancelReason: null, nextAttemptAt: null } as const;
  return meaningOf({ ...before, attempts: [], ...facts }, { now, schedule: waits });
}

const inFourMinutes = '2026-11-23T12:04:12.500Z';

test('a failed delivery shows how it failed and when it is retried', () => {
  const attempts = [failed(1), failed(2), failed(3)];
  const facts: Facts = { state: 'retrying', attempts, nextAttemptAt: inFourMinutes };
  const begin =
    'The receiver responded with 500, three times in a row. The next attempt is in 4 min 12 s';
  const end = /; 2 more follow until about 24 Nov, \d\d:34\.$/;
  expect(meaning(facts)).toMatch(new RegExp(begin + end.source));
  expect(meaning(facts, null)).toBe(`${begin}.`);
  expect(meaning(facts, ['5s', '30s', '2m'])).toBe(`${begin}. It is the last attempt.`);
});

test('only equal failures at the end are counted, and only since the last resend or replay', () => {
  const state = 'retrying';
  const before = [failed(1), failed(2, timedOut)];
  expect(meaning({ state, attempts: before })).toBe(
    'The receiver did not respond in time. The next attempt is running.',
  );
  const anew = [...before, failed(3, { ...timedOut, trigger: 'resend' })];
  const nextAttemptAt = now.toISOString();
  expect(meaning({ state, attempts: anew, nextAttemptAt }, ['5s', '1d'])).toMatch(
    /^The receiver did not respond in time\. The next attempt is due now; 1 more follows until/,
  );
});

test.each<[string, Facts, RegExp]>([
  [
    'delivered at once',
    { state: 'delivered', attempts: [answered(1)] },
    /responded with 204 on the first attempt\.$/,
  ],
  [
    'gone',
    { state: 'exhausted', attempts: [failed(1, { status: 410 })] },
    /410 Gone, so the service deactivated the webhook\. Correct the receiver or the URL, then recover\.$/,
  ],
  [
    'exhausted',
    { state: 'exhausted', attempts: [failed(1)] },
    /^The receiver responded with 500\. No attempts are left/,
  ],
  ['held', { state: 'held' }, /paused/],
  [
    'waiting for the rate',
    { state: 'pending', nextAttemptAt: inFourMinutes },
    /rate limit allows it in 4 min 12 s/,
  ],
  [
    'waiting for another',
    { state: 'pending', waitsFor: { eventId: 'evt_1', state: 'retrying' } },
    /An earlier delivery of the same resource is retrying/,
  ],
  [
    'blocked',
    { state: 'blocked', attempts: [failed(1, { status: null, errorClass: 'blocked' })] },
    /no public or allowed address\. It will not be retried/,
  ],
])('a delivery that is %s is described in words', (_, facts, words) => {
  expect(meaning(facts)).toMatch(words);
});

test.each([
  ['pending', 2_000],
  ['retrying', 2_000],
  ['held', 10_000],
  ['delivered', false],
  ['exhausted', false],
  ['cancelled', false],
] as const)('the page of a delivery that is %s refreshes after %s ms', (state, refreshMs) => {
  expect(refreshMsOf({ state, attemptCount: 1 }, null)).toBe(refreshMs);
});

test('after a resend the page refreshes until the first attempt is made', () => {
  expect(refreshMsOf({ state: 'delivered', attemptCount: 3 }, 3)).toBe(2_000);
  expect(refreshMsOf({ state: 'delivered', attemptCount: 4 }, 3)).toBe(false);
});

test.each([
  [['delivered', 'pending'], 2_000],
  [['delivered', 'retrying', 'held'], 10_000],
  [[], 10_000],
] as const)('a list of deliveries that are %j refreshes after %s ms', (states, refreshMs) => {
  expect(listRefreshMsOf(states.map((state) => ({ state })))).toBe(refreshMs);
});

test.each([
  [null, {}],
  ['person', { isPausedByPerson: true, selectedCount: 1, pageCount: 2 }],
  ['selection', { selectedCount: 1, pageCount: 2 }],
  ['older', { pageCount: 2 }],
] as const)('the pause of a list for the reason %s is due to %o', (reason, reading) => {
  const following = { isPausedByPerson: false, selectedCount: 0, pageCount: 1 };
  expect(pauseReasonOf({ ...following, ...reading })).toBe(reason);
});

test.each([
  [{}, {}],
  [
    { state: 'pending', event: 'agent.created', externalTenantId: 'shop' },
    { event: 'agent.created', externalTenantId: 'shop' },
  ],
  [{ until: '2026-11-23T12:00:00.000Z' }, null],
  [{ event: 'webhook.test' }, null],
  [{ event: 'typed by hand' }, null],
])('the list %o follows the events %o', (search, query) => {
  expect(streamQueryOf(search)).toEqual(query);
});

type Choice = Parameters<typeof hasFailed>[0];

const of = (state: Choice['state'], cancelReason: Choice['cancelReason'] = null): Choice => ({
  state,
  cancelReason,
});
const many = (count: number, facts: Choice): Choice[] => Array.from({ length: count }, () => facts);

test.each<[Choice, boolean, boolean]>([
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

test.each<[string, Choice[], string[]]>([
  [
    'failed and delivered ones',
    [...many(29, of('exhausted')), ...many(21, of('delivered'))],
    ['29 of these failed.', '21 of these were already delivered. Receivers will get them again.'],
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

test.each<[Choice[], string]>([
  [many(29, of('exhausted')), 'Resend 29 failed deliveries'],
  [[of('blocked')], 'Resend 1 failed delivery'],
  [[of('blocked'), of('delivered')], 'Resend 2 deliveries'],
  [[of('delivered')], 'Resend 1 delivery'],
])('the button for %j says "%s"', (deliveries, label) => {
  expect(resendLabel(deliveries)).toBe(label);
});

test('each row is resent once, four at a time; a failure does not stop the others, and held ones are reported', async () => {
  const rows = Array.from({ length: 20 }, (_, n) => n);
  const resent: number[] = [];
  const progress: number[] = [];
  let inFlight = 0;
  let most = 0;
  const { failures, held } = await resendEach(rows, {
    resend: async (row) => {
      inFlight += 1;
      most = Math.max(most, inFlight);
      await Promise.resolve();
      inFlight -= 1;
      resent.push(row);
      if (row % 10 === 3) throw new Error(`refused ${row}`);
      return { pausedWebhookUids: row === 7 ? ['whk_1'] : [] };
    },
    onDone: (count) => progress.push(count),
  });
  expect(resent.toSorted((a, b) => a - b)).toEqual(rows);
  expect(progress).toEqual(rows.map((n) => n + 1));
  expect(most).toBe(4);
  expect(failures.map(({ row }) => row).toSorted((a, b) => a - b)).toEqual([3, 13]);
  expect(held).toEqual([7]);
});

const url = 'https://hooks.example.com/in?a=1&b=$HOME';

function withBody(body: string | null): string {
  return curlCommand({ method: 'POST', url, headers: [], body });
}

test('the secret values of a command name their source', () => {
  const names = ['X-Webhook-Signature', 'webhook-signature', 'X-Tenant'];
  const headers = [
    { name: 'Content-Type', value: 'application/json' },
    ...names.map((name) => ({ name, value: '…' })),
  ];
  expect(curlCommand({ method: 'POST', url, headers, body: '{}' }).split(' \\\n  ')).toEqual([
    `curl --globoff -X POST '${url}'`,
    "-H 'Content-Type: application/json'",
    "-H 'X-Webhook-Signature: sha256=HEX_HMAC_SHA256_OF_THE_BODY_WITH_THE_WEBHOOKS_SECRET'",
    "-H 'webhook-signature: v1,BASE64_FROM_VERIFY_THE_SIGNATURE_WITH_THE_WEBHOOKS_SECRET'",
    "-H 'X-Tenant: VALUE_SET_AT_THE_WEBHOOK'",
    "--data-raw '{}'",
  ]);
});

test('nothing in a body can end the quotes', () => {
  expect(withBody('it\'s $(id) `id` "q" \\ !')).toContain(
    String.raw`--data-raw 'it'\''s $(id) ${'`id`'} "q" \ !'`,
  );
});

test('characters that a terminal would not show are escaped byte by byte', () => {
  expect(withBody("\u202E\u009B31m it's \\ ünï 😀")).toContain(
    String.raw`$'\xe2\x80\xae\xc2\x9b31m it\'s \\ ünï 😀'`,
  );
});
