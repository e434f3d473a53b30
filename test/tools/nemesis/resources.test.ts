// The judge of what is promised beyond a delivery: order, revocations, other applications, latency and recovery.
import { judge } from '../../nemesis/judge.ts';
import { called, type Case, fault, job, scene, type Scene, violatedBy } from './scene.ts';

const right = (cases: Case[]) =>
  test.each(cases)('%s is right', (_title, make) => expect(violatedBy(make)).toEqual([]));
const wrong = (rule: string, cases: Case[]) =>
  test.each(cases)(`${rule}: %s is wrong`, (_title, make) =>
    expect(violatedBy(make)).toEqual([rule]),
  );

/** Two changes of a resource that get these numbers. */
const numbered =
  (first: number, second: number, also: (s: Scene) => void = () => undefined) =>
  (s: Scene) => {
    for (const [index, sequence] of [first, second].entries()) {
      Object.assign(s.change(100 + index * 50, []).event, { sequence });
    }
    also(s);
  };
const unknown = (s: Scene) =>
  void s.history.changes.push({ ...s.history.changes[0]!, mark: 'm-9', outcome: 'unknown' });

/** An ordered webhook with two events; the first ends at 1,140 ms or otherwise, the second begins then. */
const ordered =
  (atMs: number, also: (s: Scene) => void = () => undefined, ordering = 'resource') =>
  (s: Scene) => {
    s.webhook('a', { ordering: ordering as 'resource' });
    s.change(100, [500, 200]);
    s.change(300, [200]).requests[0]!.atMs = atMs;
    also(s);
  };

right([
  ['numbers in order', numbered(1, 2)],
  ['a gap after a change of unknown outcome', numbered(1, 3, unknown)],
  ['a gap after a fault', numbered(1, 3, (s) => s.history.faults.push(fault(100, 155)))],
  [
    'changes at the same time in any order',
    numbered(2, 1, (s) => (s.history.changes[0]!.endMs = 150)),
  ],
  ['a second event after the end of the first', ordered(1_140)],
  ['a second event before that if nothing is ordered', ordered(1_139, undefined, 'parallel')],
  [
    'a second event that was resent',
    ordered(1_139, (s) => s.history.jobs.push(job('resend', 400, { eventId: 'evt_2' }))),
  ],
]);

wrong('order', [
  ['a repeated number', numbered(1, 1)],
  ['a gap', numbered(1, 3)],
  ['a gap before the first', numbered(2, 3)],
  ['a lower number for a later change', numbered(2, 1)],
  ['a second event before the end of the first', ordered(1_139)],
  [
    'a second event before the end of the first after an earlier job',
    ordered(1_139, (s) => s.history.jobs.push(job('replay', 50))),
  ],
]);

const checked =
  (startMs: number, isActive: boolean | null, reason: string | null = null) =>
  (s: Scene) => {
    const checks = [{ startMs, endMs: startMs + 10, isActive, reason }];
    const lost = { ...called(1_000), outcome: 'unknown' as const };
    const revocations = [lost, called(2_000)];
    s.history.tokens.push({ appUid: 'app_1', userUid: 'usr_1', revocations, checks });
  };

right([
  ['a token before its revocation', checked(980, true)],
  [
    'a token that is refused during a revocation of unknown outcome',
    checked(1_000, false, 'revoked'),
  ],
  ['a token until the response to the revocation', checked(2_010, true)],
  ['an expired token', checked(980, false, 'expired')],
  ['a check without a response', checked(3_000, null)],
]);
wrong('revocations', [
  ['a revoked token that is active', checked(2_011, true)],
  ['a token that is refused before its revocation', checked(980, false, 'revoked')],
]);

test.each<Case>([
  [
    'a row of another application',
    ({ history }) => history.reads.push({ ...called(1), path: '/events', foreign: ['evt_9'] }),
  ],
  [
    'a body of another application',
    (s) => {
      s.webhook('a');
      s.change(100).requests[0]!.body = '{"eventId":"evt_1","appUid":"app_2","sequence":1}';
    },
  ],
  [
    'an event for a webhook of another application',
    (s) => {
      s.webhook('a').appUid = 'app_2';
      s.change(100);
    },
  ],
  [
    'a delivery of another application',
    (s) => {
      s.webhook('a');
      s.change(100).deliveries[0]!.appUid = 'app_2';
    },
  ],
])('isolation: %s is wrong', (_title, make) => expect(violatedBy(make)).toContain('isolation'));

/** Changes each 10 ms for 5 s before a fault, and for 5 s from 10 s after it, with first requests after these times. */
function quiet(s: Scene, laterMs: number, late: (n: number) => boolean): void {
  s.webhook('a');
  for (let n = 0; n < 200; n += 1) {
    const isLate = n >= 100 && late(n);
    const atMs = n < 100 ? n * 50 : 25_000 + n * 50;
    const { requests } = s.change(atMs + 20);
    if (!isLate) continue;
    requests[0]!.atMs = atMs + 20 + laterMs;
    requests[0]!.response.atMs = atMs + 30 + laterMs;
  }
  s.history.faults.push(fault(10_000, 15_000));
}

test('quiet applications are as fast after faults as before, by their p99', () => {
  const made = scene();
  quiet(made, 500, (n) => n < 102);
  expect(judge(made.history)).toMatchObject({
    violations: [],
    quietP99Ms: { before: 20, outsideFaults: 500 },
  });
  expect(violatedBy((s) => quiet(s, 501, (n) => n < 102))).toEqual(['latency']);
  expect(violatedBy((s) => quiet(s, 501, (n) => n < 101))).toEqual([]);
});

/** The first request of a change at 900 ms comes that long after a fault from 1 s to 2 s. */
const recovered =
  (waitMs: number, nextMs = 100_000) =>
  (s: Scene) => {
    s.webhook('a');
    const [request] = s.change(900).requests;
    request!.atMs = 2_000 + waitMs;
    request!.response.atMs = 2_010 + waitMs;
    for (const startMs of [1_000, nextMs, 200_000]) {
      s.history.faults.push(fault(startMs, startMs + 1_000));
    }
  };

test('the recovery of a fault lasts until the last first request that waited for it', () => {
  const made = scene();
  recovered(10_000)(made);
  expect(judge(made.history)).toMatchObject({
    recoveryMs: { p50: 0, max: 10_000 },
    violations: [],
  });
  expect(violatedBy(recovered(10_001))).toEqual(['latency']);
});

test('a fault that begins before the end of another one counts for both', () => {
  const made = scene();
  recovered(4_000, 1_500)(made);
  expect(judge(made.history).recoveryMs.max).toBe(3_500);
});

test('a wait that lasts beyond the next fault counts until its start', () => {
  const made = scene();
  recovered(5_000, 6_000)(made);
  expect(judge(made.history).recoveryMs.max).toBe(4_000);
});
