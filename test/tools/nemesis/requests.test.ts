// The judge of requests: their bytes and signatures, and that none comes that nobody wanted, too early or too often.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { judge } from '../../nemesis/judge.ts';
import type { SettingsCall } from '../../nemesis/history.ts';
import {
  called,
  type Case,
  fault,
  job,
  type Made,
  privateKey,
  scene,
  type Scene,
  secret,
  violatedBy,
} from './scene.ts';

const right = (cases: Case[]) =>
  test.each(cases)('%s is right', (_title, make) => expect(violatedBy(make)).toEqual([]));
const wrong = (rule: string, cases: Case[]) =>
  test.each(cases)(`${rule}: %s is wrong`, (_title, make) =>
    expect(violatedBy(make)).toContain(rule),
  );

/** A change at a time with one request of this signing. */
function signed(s: Scene, atMs: number, signing: { by?: string[]; key?: KeyObject }): void {
  const [request] = s.change(atMs).requests;
  s.send({ event: s.history.documents.events[0] } as Made, atMs + 20, signing);
  const { headers } = s.history.requests.pop()!;
  Object.assign(request!, { headers });
}

/** A rotation at 1 s, a promotion at 10 s, and a request with these secrets. */
const rotated = (atMs: number, by: string[]) => (s: Scene) => {
  const promoted = secret('promoted', 10_000);
  s.webhook('a').secrets.push(secret('rotated', 1_000, 'new'), promoted);
  signed(s, atMs, { by });
};
const before = ['old', 'old'];
const between = ['old', 'new', 'old'];
const after = ['new', 'new', 'old'];

const keyed = (key: KeyObject) => (s: Scene) => {
  s.webhook('a', { signatures: ['v1a'] });
  signed(s, 100, { by: ['old'], key });
};

right([
  ['the old secret before a rotation', rotated(900, before)],
  ['the old secret for a request begun before it', rotated(6_450, before)],
  ['both secrets as soon as a rotation begins', rotated(985, between)],
  ['both secrets after a promotion, the new one first', rotated(15_600, after)],
  ['a signature by a key of the application', keyed(privateKey)],
  [
    'a secret of which the response was lost',
    (s) => {
      const lost = { ...secret('rotated', 50), outcome: 'unknown' as const };
      s.webhook('a').secrets.push(lost);
      signed(s, 100, { by: ['old', 'any', 'old'] });
    },
  ],
]);

const withRequest = (given: object) => (s: Scene) => {
  s.webhook('a');
  Object.assign(s.change(100).requests[0]!, given);
};
const withHeader = (name: string, value: string) => (s: Scene) => {
  s.webhook('a');
  Object.assign(s.change(100).requests[0]!.headers, { [name]: value });
};

wrong('signatures', [
  ['the old secret alone, after a rotation', rotated(6_550, before)],
  ['the new secret before a rotation', rotated(900, between)],
  ['the new secret first, before its promotion', rotated(9_900, after)],
  ['the old secret first, after a promotion', rotated(15_550, between)],
  ['a key of another application', keyed(generateKeyPairSync('ed25519').privateKey)],
  [
    'v1 where only v1a is set',
    (s) => void (s.webhook('a', { signatures: ['v1a'] }), s.change(100)),
  ],
  ['bytes other than the document', withRequest({ body: '{"eventId":"evt_1","sequence":1} ' })],
  [
    'bytes other than before',
    (s) => {
      s.webhook('a');
      Object.assign(s.change(100, [500, 200]).requests[1]!, { body: '{}' });
    },
  ],
  ['the uid of another webhook', withHeader('x-webhook-uid', 'b')],
  ['another sequence in the header', withHeader('x-webhook-sequence', '2')],
  ['a header of another event', withHeader('webhook-id', 'evt_2')],
]);

const paused = (s: Scene, atMs: number): Partial<SettingsCall> => ({
  ...called(atMs),
  settings: { ...s.history.webhooks[0]!.settings[0]!.settings, active: false },
});
/** A pause from 1 s on, and a request. */
const duringPause =
  (atMs: number, also: (s: Scene) => void = () => undefined) =>
  (s: Scene) => {
    s.set(s.webhook('a'), 1_000, paused(s, 1_000));
    also(s);
    s.change(atMs);
  };

/** A change that gets a 410 at 130 ms, and another one. */
const gone =
  (atMs: number, also: (s: Scene) => void = () => undefined) =>
  (s: Scene) => {
    s.webhook('a');
    s.change(100, [410]);
    also(s);
    s.change(atMs);
  };

right([
  ['a request within 2 s of a 410', gone(2_110)],
  [
    'a request after a 410 and a resume',
    gone(5_000, (s) => s.set(s.history.webhooks[0]!, 4_000, {})),
  ],
  ['a request within 2 s of a pause', duringPause(2_980)],
  [
    'a late request of a frozen process',
    duringPause(3_000, (s) => s.history.faults.push(fault(1_020, 3_000, 'frozen'))),
  ],
  [
    'a request as soon as a resume begins',
    duringPause(5_000, (s) => s.set(s.history.webhooks[0]!, 5_020, {})),
  ],
  [
    'a request after a discard, by a job requested after it',
    (s) => {
      s.webhook('a');
      const made = s.change(100);
      s.set(s.history.webhooks[0]!, 4_100, { discards: true });
      s.history.jobs.push(job('resend', 4_200, { eventId: made.event._id }));
      s.send(made, 7_000);
    },
  ],
  [
    'a request after a pause of unknown outcome',
    (s) => {
      s.set(s.webhook('a'), 1_000, { ...paused(s, 1_000), outcome: 'unknown' });
      s.change(5_000);
    },
  ],
]);

/** A second attempt at 1,130 ms and a third at 6,140 ms. */
const retried = (also: (s: Scene, eventId: string) => void) => (s: Scene) => {
  s.webhook('a');
  also(s, s.change(100, [500, 500, 200]).event._id);
};

wrong('silence', [
  [
    'a request 2 s after a discard',
    retried((s) => s.set(s.history.webhooks[0]!, 4_100, { discards: true })),
  ],
  [
    'a request 2 s after a discard, by a job requested before',
    retried((s, eventId) => {
      s.history.jobs.push(job('resend', 3_000, { eventId }));
      s.set(s.history.webhooks[0]!, 4_100, { discards: true });
    }),
  ],
  ['a request 2 s after a 410', gone(2_140)],
  ['a request 2 s after a pause', duringPause(3_000)],
  [
    'a request 2 s after a deletion',
    retried((s) => s.history.webhooks[0]!.deletions.push(called(4_100))),
  ],
  [
    'a request 2 s after a skip',
    retried((s, eventId) => s.history.jobs.push(job('skip', 4_100, { eventId }))),
  ],
  [
    'a request 2 s after an erasure',
    retried((s) =>
      Object.assign(s.history.documents.events[0]!, { erasedAt: new Date(4_100), body: '' }),
    ),
  ],
  [
    'an event that an erasure left',
    retried((s) => s.history.jobs.push(job('erasure', 200, { externalTenantId: 'tenant-1' }))),
  ],
]);

/** A delivery, and the same attempt again after 5 s. */
const repeated =
  (also: (s: Scene, eventId: string) => void, slowMs = 10, againMs = 25_020) =>
  (s: Scene) => {
    s.webhook('a');
    const made = s.change(20_000);
    made.requests[0]!.response.atMs = 20_020 + slowMs;
    s.send(made, againMs);
    also(s, made.event._id);
  };
const caused = (startMs: number, endMs: number) => (s: Scene) =>
  void s.history.faults.push(fault(startMs, endMs));

right([
  ['a repeat after a fault that ended 1 s before', repeated(caused(5_000, 19_020))],
  ['a repeat after a fault that began 15 s after', repeated(caused(35_030, 35_040), 10, 36_000)],
  ['a repeat after a slow response', repeated(() => undefined, 4_001)],
  ['a resend', repeated((s, eventId) => s.history.jobs.push(job('resend', 24_000, { eventId })))],
]);

test('repeats are counted by their cause', () => {
  const made = scene();
  repeated(caused(20_000, 21_000))(made);
  expect(judge(made.history)).toMatchObject({ duplicates: { 'killed api': 1 }, violations: [] });
});

wrong('duplicates', [
  ['a repeat without a cause', repeated(() => undefined)],
  ['a repeat after a fault that began later', repeated(caused(35_031, 35_040), 10, 36_000)],
  ['a repeat after a fault that ended earlier', repeated(caused(5_000, 15_019))],
  ['a repeat before a fault', repeated(caused(25_021, 26_000))],
  [
    'a repeat after a fault between callers and the API',
    repeated((s) => s.history.faults.push({ ...fault(20_000, 21_000, 'cut'), target: 'callers' })),
  ],
  [
    'a repeat after the resend of another event',
    repeated((s) => s.history.jobs.push(job('resend', 24_000, { eventId: 'evt_9' }))),
  ],
]);

/** A first attempt that fails at 130 ms, and a second that long after it. */
const waited =
  (waitMs: number, also: (s: Scene) => void = () => undefined) =>
  (s: Scene) => {
    s.webhook('a');
    const [, second] = s.change(100, [503, 200]).requests;
    Object.assign(second!, { atMs: 130 + waitMs, response: { status: 200, atMs: 140 + waitMs } });
    also(s);
  };
const retryAfter = (s: Scene) =>
  Object.assign(s.history.requests[0]!.response, { retryAfterSeconds: 3 });

right([
  ['a retry after its wait', waited(1_000)],
  ['a retry after Retry-After', waited(3_000, retryAfter)],
  ['a retry within the grace', waited(11_150)],
  ['a late retry after a fault', waited(30_000, (s) => s.history.faults.push(fault(1_000, 6_000)))],
  ['an early retry on request', waited(200, (s) => s.history.jobs.push(job('replay', 150)))],
]);

wrong('schedule', [
  ['a retry before its wait', waited(899)],
  ['a retry before Retry-After', waited(2_899, retryAfter)],
  ['a retry too late', waited(11_151)],
  ['an attempt after the last', (s) => void (s.webhook('a'), s.change(100, [500, 500, 500, 200]))],
]);

/** Requests at even distances to a webhook with 2 per second. */
const rated =
  (count: number, everyMs: number, made: object = {}) =>
  (s: Scene) => {
    s.webhook('a', { ratePerSecond: 2, ...made });
    for (let n = 0; n < count; n += 1) s.change(20_000 + n * everyMs);
  };

right([
  ['the rate', rated(40, 500)],
  ['twelve seconds of slots in 5 s', rated(13, 400)],
  ['no rate', rated(40, 100, { ratePerSecond: null })],
]);
wrong('rate', [['one request more than the slots of 6 s', rated(14, 380)]]);
