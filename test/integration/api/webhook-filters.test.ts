// The events that a webhook gets: by its entities and, if set, exact events, tenants and fields of the data.
import { timeOfId } from '../../../lib/platform/ids.ts';
import type { Answer } from '../../support/api-client.ts';
import { useService } from '../../support/use-service.ts';
import { registerWebhook, reportChange } from '../../support/webhook-calls.ts';
import { expectProblem, faultsOf } from './problems.ts';

const url = 'http://127.0.0.1:1/';

const service = useService({ worker: false });

async function register(fields: Record<string, unknown>): Promise<string> {
  const entities = ['agent', 'context'];
  return (await registerWebhook(service, { url, entities, ...fields })).uid;
}

/** Returns the webhooks, of those given, that get a reported event. */
async function whoGets(
  event: string,
  externalTenantId: string,
  of: readonly string[],
): Promise<string[]> {
  const eventId = await reportChange(service, { externalTenantId }, event);
  const stored = await service.store.events.findOne({ _id: eventId });
  return of.filter((uid) => stored?.webhookUids.includes(uid));
}

test('exact events and tenants narrow the events of the entities', async () => {
  const all = await register({});
  const updates = await register({ events: ['agent.updated', 'context.updated'] });
  const tenant = await register({ externalTenantIds: ['tenant-a', 'tenant-b'] });
  const both = await register({ events: ['agent.deleted'], externalTenantIds: ['tenant-b'] });
  const of = [all, updates, tenant, both];
  expect(await whoGets('agent.updated', 'tenant-c', of)).toEqual([all, updates]);
  expect(await whoGets('agent.created', 'tenant-a', of)).toEqual([all, tenant]);
  expect(await whoGets('agent.deleted', 'tenant-b', of)).toEqual([all, tenant, both]);
  expect(await whoGets('agent.deleted', 'tenant-a', of)).toEqual([all, tenant]);
  expect(await whoGets('contextfile.updated', 'tenant-a', of)).toEqual([]);
  // Tenants are compared exactly.
  expect(await whoGets('agent.created', 'Tenant-A', of)).toEqual([all]);
});

test('the filters apply to changes of resources and to reported changes', async () => {
  const created = await register({ events: ['agent.created'] });
  const updated = await register({ events: ['agent.updated'] });
  const agent = await service.call('POST', '/agents', {
    body: { agentName: 'A', externalTenantId: 'tenant-1' },
  });
  const uid = String(agent.body['uid']);
  await service.call('PATCH', `/agents/${uid}`, { body: { live: true } });
  const events = await service.store.events.find({ resourceUid: uid }).sort({ _id: 1 }).toArray();
  const heard = events.map((event) => [
    event.webhookUids.includes(created),
    event.webhookUids.includes(updated),
  ]);
  expect(heard).toEqual([
    [true, false],
    [false, true],
  ]);
});

const values = (count: number) => Array.from({ length: count }, (_none, n) => `v${n}`);
const paths = (count: number) => Object.fromEntries(values(count).map((path) => [path, 1]));
const longest = 'x'.repeat(256);

test('a filter on fields of the data decides who gets an event, and is not part of the audit log', async () => {
  const filter = { 'owner.team': ['core', 'web'], live: true };
  const created = await service.call('POST', '/webhooks', {
    body: { url, entities: ['agent'], filter },
  });
  const uid = String(created.body['uid']);
  expect(created.body['filter']).toEqual(filter);
  const gets = async (data: Record<string, unknown>): Promise<boolean> => {
    const eventId = await reportChange(service, data);
    const event = await service.store.events.findOne({ _id: eventId });
    return event?.webhookUids.includes(uid) ?? false;
  };
  expect(await gets({ live: true, owner: { team: 'web' } })).toBe(true);
  expect(await gets({ live: false, owner: { team: 'web' } })).toBe(false);
  expect(await gets({ live: true, owner: { team: 'ops' } })).toBe(false);
  expect(await gets({ live: true })).toBe(false);
  const row = await service.store.auditLog.findOne({ 'target.uid': uid });
  expect(row?.details).toMatchObject({ filterPaths: ['owner.team', 'live'] });
  expect(JSON.stringify(row)).not.toContain('core');

  const body = { filter: null, events: null, externalTenantIds: null };
  const changed = await service.call('PATCH', `/webhooks/${uid}`, { body });
  expect(changed.body).toMatchObject(body);
  expect(await gets({})).toBe(true);
});

test.each([
  [{ filter: paths(10) }],
  [{ filter: { a: values(50) } }],
  [{ filter: { 'a.b.c.d.e': ['x', 1, true, null] } }],
  [{ filter: { [longest]: longest } }],
  [{ filter: { ['😀'.repeat(256)]: '😀'.repeat(256) } }],
])('a webhook with %j is registered as it is', async (fields) => {
  const answer = await service.call('POST', '/webhooks', {
    body: { url, entities: ['agent'], ...fields },
  });
  expect(answer.body).toMatchObject(fields);
  const read = await service.call('GET', `/webhooks/${String(answer.body['uid'])}`);
  expect(read.body).toMatchObject(fields);
});

test('a response warns of another active webhook that sends the same events to the same URL', async () => {
  const shared = { url: 'http://127.0.0.1:1/shared', entities: ['agent'] };
  const first = await register(shared);
  const twin = await register(shared);
  const path = `/webhooks/${twin}`;
  const warned = async (method: string, at: string, body?: object): Promise<boolean> => {
    const answer = await service.call(method, at, body === undefined ? {} : { body });
    const detail = expect.stringContaining(first) as unknown;
    const warning = { code: 'duplicate_webhook', detail };
    const { warnings } = answer.body;
    expect([[], [warning]]).toContainEqual(warnings);
    return (warnings as unknown[] | undefined)?.length === 1;
  };
  expect(await warned('GET', path)).toBe(true);
  expect(await warned('POST', `${path}/secret/rotate`, {})).toBe(true);
  expect(await warned('PATCH', path, { url: `${shared.url}/2` })).toBe(false);
  expect(await warned('PATCH', path, { url: shared.url })).toBe(true);
  expect(await warned('PATCH', path, { entities: ['context'] })).toBe(false);
  await service.call('PATCH', path, { body: { entities: ['agent'] } });
  await service.call('PATCH', `/webhooks/${first}`, { body: { active: false } });
  expect(await warned('GET', path)).toBe(false);
  await service.call('PATCH', `/webhooks/${first}`, { body: { active: true } });
  await service.call('DELETE', path);
  const again = await service.call('POST', '/webhooks', { body: shared });
  expect(again.body['warnings']).toMatchObject([{ code: 'duplicate_webhook' }]);
});

test("a filter on events outside the webhook's entities is rejected, in POST and PATCH", async () => {
  const wrong = await service.call('POST', '/webhooks', {
    body: { url, entities: ['agent'], events: ['agent.created', 'context.updated'] },
  });
  expectProblem(wrong, 400, 'invalid_request');
  expect(faultsOf(wrong)).toEqual(['#/events/1 not_in_entities']);
  const uid = await register({ events: ['context.updated'] });
  const narrowed = await service.call('PATCH', `/webhooks/${uid}`, {
    body: { entities: ['agent'] },
  });
  expectProblem(narrowed, 400, 'invalid_request');
  const together = await service.call('PATCH', `/webhooks/${uid}`, {
    body: { entities: ['agent'], events: ['agent.created'] },
  });
  expect(together.status).toBe(200);
});

test.each([
  [{ retrySchedule: ['5s', '5'] }, '#/retrySchedule/1 duration'],
  [{ retrySchedule: ['0s'] }, '#/retrySchedule/0 wait_too_short'],
  [{ retrySchedule: ['1s', '999ms'] }, '#/retrySchedule/1 wait_too_short'],
  [{ retrySchedule: ['7d', '1s'] }, '#/retrySchedule schedule_too_long'],
  [{ filter: {} }, '#/filter minProperties'],
  [{ filter: paths(11) }, '#/filter maxProperties'],
  [{ filter: { a: [] } }, '#/filter/a filter'],
  [{ filter: { a: { $gt: '' } } }, '#/filter/a filter'],
  [{ filter: { a: [['x']] } }, '#/filter/a filter'],
  [{ filter: { a: values(25), b: values(26) } }, '#/filter filter'],
  [{ filter: { a: `${longest}x` } }, '#/filter/a filter'],
  [{ filter: { a: '😀'.repeat(257) } }, '#/filter/a filter'],
  [{ filter: { '': 1 } }, '#/filter/ filter'],
  [{ filter: { 'a..b': 1 } }, '#/filter/a..b filter'],
  [{ filter: { 'a.b.c.d.e.f': 1 } }, '#/filter/a.b.c.d.e.f filter'],
  [{ filter: { 'a\n': 1 } }, '#/filter/a\n filter'],
  [{ filter: { [`${longest}x`]: 1 } }, `#/filter/${longest.slice(0, 200)}… filter`],
  [{ onResume: 'deliver' }, '#/onResume additionalProperties'],
])('a webhook with %j is rejected', async (fields, fault) => {
  const answer = await service.call('POST', '/webhooks', {
    body: { url, entities: ['agent'], ...fields },
  });
  expectProblem(answer, 400, 'invalid_request');
  expect(faultsOf(answer)).toEqual([fault]);
});

test.each([
  [{ onResume: 'discard' }, '#/onResume without_resume'],
  [{ onResume: 'deliver', active: false }, '#/onResume without_resume'],
  [{ retrySchedule: ['7d', '1s'] }, '#/retrySchedule schedule_too_long'],
  [{ filter: { a: [] } }, '#/filter/a filter'],
])('a change with %j is rejected and changes nothing', async (fields, fault) => {
  const uid = await register({ retrySchedule: ['1m'] });
  const before = await service.store.webhooks.findOne({ _id: uid });
  const answer = await service.call('PATCH', `/webhooks/${uid}`, {
    body: { entities: ['context'], ...fields },
  });
  expectProblem(answer, 400, 'invalid_request');
  expect(faultsOf(answer)).toEqual([fault]);
  expect(await service.store.webhooks.findOne({ _id: uid })).toEqual(before);
});

test('a discard requires a paused webhook, and repeating it changes nothing', async () => {
  const uid = await register({});
  const change = (body: object): Promise<Answer> =>
    service.call('PATCH', `/webhooks/${uid}`, { body });
  const discard = (): Promise<Answer> => change({ active: true, onResume: 'discard' });
  expectProblem(await discard(), 409, 'conflict');

  await change({ active: false });
  const resumed = await discard();
  expect(resumed.body['active']).toBe(true);
  expect(await discard()).toMatchObject({ status: 200, body: resumed.body });
  const stored = () => service.store.webhooks.findOne({ _id: uid });
  const { releaseUid, discardBefore, discardCount } = (await stored()) ?? {};
  expect(discardCount).toBe(1);
  expect(timeOfId(releaseUid ?? '')).toEqual(discardBefore);
  expect(await service.store.jobs.countDocuments({ webhookUid: uid })).toBe(1);

  await change({ active: false });
  await change({ active: true });
  const late = await change({ active: true, onResume: 'discard', entities: ['context'] });
  expectProblem(late, 409, 'conflict');
  expect((await change({})).body['entities']).not.toEqual(['context']);
  expect(await stored()).toMatchObject({ discardBefore, discardCount });
});

test("a webhook's own schedule is shown in the largest whole units", async () => {
  const retrySchedule = ['1000ms', '1001ms', '90s', '120s', '36h', '3d'];
  const created = await service.call('POST', '/webhooks', {
    body: { url, entities: ['agent'], retrySchedule },
  });
  const shown = ['1s', '1001ms', '90s', '2m', '36h', '3d'];
  expect(created.body['retrySchedule']).toEqual(shown);
  const uid = String(created.body['uid']);
  const cleared = await service.call('PATCH', `/webhooks/${uid}`, {
    body: { retrySchedule: null },
  });
  expect(cleared.body['retrySchedule']).toBeNull();
});

test.each([
  [0.49, null],
  [0.51, 'half'],
  [0.79, 'half'],
  [0.81, 'soon'],
])('after %p of the time to the deactivation the warning is %j', async (share, warning) => {
  const uid = await register({});
  const failingSince = new Date(Date.now() - share * service.config.deactivateAfterMs);
  await service.store.webhooks.updateOne({ _id: uid }, { $set: { failingSince } });
  const { body } = await service.call('GET', `/webhooks/${uid}`);
  expect(body['deactivationWarning']).toBe(warning);
  expect(body['failingSince']).toBe(failingSince.toISOString());
  const deactivatesAt = failingSince.getTime() + service.config.deactivateAfterMs;
  expect(body['deactivatesAt']).toBe(new Date(deactivatesAt).toISOString());
});

test('reactivating a webhook restarts the count of failing days', async () => {
  const uid = await register({});
  const now = new Date();
  const failing = {
    active: false,
    disabledReason: 'failing',
    failingSince: now,
    lastExhaustedAt: now,
  } as const;
  await service.store.webhooks.updateOne({ _id: uid }, { $set: failing });
  expect((await service.call('GET', `/webhooks/${uid}`)).body).toMatchObject({
    active: false,
    disabledReason: 'failing',
    deactivatesAt: null,
  });
  const moved = await service.call('PATCH', `/webhooks/${uid}`, { body: { name: 'Moved' } });
  expect(moved.body).toMatchObject({ active: false, disabledReason: 'failing' });
  const resumed = await service.call('PATCH', `/webhooks/${uid}`, { body: { active: true } });
  expect(resumed.body).toMatchObject({ active: true, disabledReason: null, failingSince: null });
  const stored = await service.store.webhooks.findOne({ _id: uid });
  expect(stored).toMatchObject({ failingSince: null, lastExhaustedAt: null });
});
