// The judge of events and documents: what callers were told is recorded, for whom, and how it ended.
import { called, type Case, fault, job, scene, violatedBy } from './scene.ts';
import { judge } from '../../nemesis/judge.ts';

test.each<Case>([
  ['a change that was delivered', (s) => void (s.webhook('a'), s.change(100))],
  [
    'a refused change without an event',
    (s) => s.history.changes.push({ ...bare, outcome: 'refused' }),
  ],
  [
    'an unknown change without an event',
    (s) => s.history.changes.push({ ...bare, outcome: 'unknown' }),
  ],
  ['an unknown change with an event', (s) => void s.change(100, [], { outcome: 'unknown' })],
  ['a deletion', (s) => void s.change(100, [], { mark: '', event: 'agent.deleted' })],
  [
    'an erased event that was never sent',
    (s) => Object.assign(s.change(100).event, { body: '', erasedAt: new Date(200) }),
  ],
  [
    'files that were deleted with their context',
    (s) => {
      s.change(100, [], { event: 'context.deleted', resourceUid: 'ctx_1', mark: '' });
      const { event } = s.change(101, [], { event: 'contextfile.deleted', mark: '' });
      s.history.changes.pop();
      event.body = JSON.stringify({ data: { contextUid: 'ctx_1' } });
    },
  ],
])('%s is right', (_title, make) => expect(violatedBy(make)).toEqual([]));

const bare = {
  ...called(100),
  mark: 'm-9',
  eventId: null,
  event: 'agent.updated',
  resourceUid: 'agt_9',
  externalTenantId: 'tenant-1',
  group: null,
};

test.each<Case>([
  ['an accepted change without an event', (s) => s.history.changes.push(bare)],
  ['a refused change with an event', (s) => void s.change(100, [], { outcome: 'refused' })],
  [
    'a change with two events',
    (s) => {
      const { event } = s.change(100, [], { outcome: 'unknown' });
      s.history.documents.events.push({ ...event, _id: 'evt_2', sequence: 2 });
    },
  ],
  [
    'an event of another tenant than its change',
    (s) => Object.assign(s.change(100, []).event, { externalTenantId: 'tenant-2' }),
  ],
  [
    'a report with the mark of another change',
    (s) => Object.assign(s.change(100, [], { eventId: 'evt_1' }).event, { body: '"m-10"' }),
  ],
  [
    'an event that nobody made',
    (s) => Object.assign(s.change(100, [], { outcome: 'unknown' }).event, { body: '"m-10"' }),
  ],
  [
    'two deletions of one call',
    (s) => {
      const { event } = s.change(100, [], { mark: '', event: 'agent.deleted' });
      s.history.documents.events.push({ ...event, _id: 'evt_2', sequence: 2 });
    },
  ],
])('recorded: %s is wrong', (_title, make) => expect(violatedBy(make)).toContain('recorded'));

test.each<Case>([
  [
    'a change while the settings change',
    (s) => {
      s.set(s.webhook('a'), 95, { settings: { ...settingsOf(s), entities: [] } });
      s.change(100);
    },
  ],
  [
    'a change within the time of a change of unknown outcome',
    (s) => {
      const call = { outcome: 'unknown' as const, settings: { ...settingsOf(s), entities: [] } };
      s.set(s.webhook('a'), 50, call);
      s.change(20_000);
    },
  ],
  [
    'a filter that matches',
    (s) => void (s.webhook('a', { group: 2 }), s.change(100, [200], { group: 2 })),
  ],
])('recipients: %s is right', (_title, make) => expect(violatedBy(make)).toEqual([]));

function settingsOf(s: ReturnType<typeof scene>) {
  return structuredClone((s.history.webhooks[0] ?? s.webhook('other')).settings[0]!.settings);
}

test.each<Case>([
  [
    'a webhook that was left out',
    (s) => {
      s.webhook('a');
      Object.assign(s.change(100, []).event, { webhookUids: [] });
    },
  ],
  [
    'an entity that had been removed',
    (s) => {
      s.set(s.webhook('a'), 50, { settings: { ...settingsOf(s), entities: [] } });
      s.change(100);
    },
  ],
  [
    'another value of the filter',
    (s) => void (s.webhook('a', { group: 2 }), s.change(100, [200], { group: 3 })),
  ],
  [
    'a webhook that was deleted',
    (s) => void (s.webhook('a').deletions.push(called(50)), s.change(100)),
  ],
  ['a webhook that nobody created', (s) => s.change(100, []).event.webhookUids.push('b')],
])('recipients: %s is wrong', (_title, make) => expect(violatedBy(make)).toContain('recipients'));

const cancelled = (cancelReason: string) => ({ state: 'cancelled', cancelReason });

test.each<Case>([
  ['a delivery after failures', (s) => void (s.webhook('a'), s.change(100, [500, null, 200]))],
  [
    'a delivery whose attempts are used up',
    (s) => void (s.webhook('a'), s.change(100, [500, 503, 500])),
  ],
  ['a delivery that got a 410', (s) => void (s.webhook('a'), s.change(100, [410]))],
  [
    'a response that a killed process did not record',
    (s) => {
      s.webhook('a');
      const made = s.change(100);
      s.history.faults.push(fault(125, 300));
      s.send(made, 5_000, { response: { status: 500, atMs: 5_010 } });
      s.send(made, 6_020, { attempt: 2 });
      Object.assign(made.deliveries[0]!, {
        attempts: [
          { n: 1, status: 500 },
          { n: 2, status: 200 },
        ],
      });
    },
  ],
  [
    'a delivery that was skipped',
    (s) => {
      s.webhook('a');
      const made = s.change(100, [500]);
      s.history.jobs.push(job('skip', 200, { eventId: made.event._id, webhookUids: ['a'] }));
      Object.assign(made.deliveries[0]!, cancelled('skipped'));
    },
  ],
  [
    'a response after a skip',
    (s) => {
      s.webhook('a');
      const made = s.change(100, [500, 200]);
      s.history.jobs.push(job('skip', 1_120, { eventId: made.event._id, webhookUids: ['a'] }));
      const attempts = [{ n: 1, status: 500 }];
      Object.assign(made.deliveries[0]!, { ...cancelled('skipped'), attemptCount: 1, attempts });
    },
  ],
])('ended: %s is right', (_title, make) => expect(violatedBy(make)).toEqual([]));

test.each<[string, (number | null)[], object]>([
  ['that is still retrying', [500], { state: 'retrying' }],
  ['that is held', [], { state: 'held' }],
  ['that is exhausted with attempts left', [500, 500], {}],
  ['that is delivered after a refusal', [500], { state: 'delivered' }],
  [
    'that is delivered by a 2xx nobody gave',
    [500],
    { state: 'delivered', attempts: [{ n: 1, status: 200 }] },
  ],
  ['that is cancelled by a skip of nobody', [500], { state: 'cancelled', cancelReason: 'skipped' }],
  ['that expired', [500], { state: 'cancelled', cancelReason: 'expired' }],
  ['that was cancelled by a skip of nobody after a 2xx', [200], cancelled('skipped')],
  ['that is exhausted after a 2xx', [500, 500, 200], { state: 'exhausted' }],
  ['that lacks an attempt', [500, 200], { attempts: [{ n: 2, status: 200 }] }],
])('ended: a delivery %s is wrong', (_title, statuses, wrong) => {
  const violated = violatedBy((s) => {
    s.webhook('a');
    Object.assign(s.change(100, statuses).deliveries[0]!, wrong);
  });
  expect(violated).toEqual(['ended']);
});

test('ended: a recipient without a document is wrong, and its history says what was', () => {
  const made = scene();
  made.webhook('a');
  made.change(100, [500, 200]);
  made.history.documents.deliveries.pop();
  const [violation] = judge(made.history).violations;
  expect(violation).toEqual({
    rule: 'ended',
    what: 'evt_1/a has no document',
    history: [
      '0.000 s settings {"active":true,"entities":["agent"],"group":null,"ordering":"parallel","retryScheduleMs":[1000,5000],"ratePerSecond":null,"signatures":["v1"]} accepted after 10 ms',
      '0.100 s agent.updated m-1  accepted after 10 ms',
      '0.120 s request 1 of evt_1: 500 after 10 ms',
      '1.130 s request 2 of evt_1: 200 after 10 ms',
    ],
  });
});

test('ended: a request of an unknown event is wrong', () => {
  const violated = violatedBy((s) => {
    s.webhook('a');
    s.change(100).requests[0]!.path = '/b';
  });
  expect(violated).toContain('ended');
});
