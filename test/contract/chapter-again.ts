// Events, resends, replays and erasures.
import { becomes, report, subscribe, type Subscription } from './chapter-deliveries.ts';
import type { Answer } from './recorder.ts';
import { has, type Stage } from './stage.ts';

const since = '2026-01-01T00:00:00Z';

/** Plays it. */
export async function playAgain(stage: Stage): Promise<void> {
  await playEvents(stage);
  await playResends(stage);
  await playReplays(stage);
  await playSyncs(stage);
  await playErasures(stage);
}

async function playEvents({ call }: Stage): Promise<void> {
  await call('lists events', 'GET …/events?limit=200');
  const first = await call('the first page of events', `GET …/events?limit=1&since=${since}`);
  const cursor = `cursor=${first.body['nextCursor']}`;
  await call('the next page of events', `GET …/events?limit=1&since=${since}&${cursor}`);
  await call('a cursor with another filter', `GET …/events?limit=1&${cursor}`);
  await call('events of a time without any', `GET …/events?until=${since}`);
  await call('events of a type and a tenant', 'GET …/events?entity=agent&externalTenantId=nobody');
  await call('an event that is none', 'GET …/events?event=agent.renamed');
  // Only its head, as a stream has no end.
  await call('opens a stream of events', 'HEAD …/events/stream?entity=agent');
  const headers = { 'last-event-id': 'none' };
  await call('a stream from an id that is none', 'GET …/events/stream', { headers });
  await call('a time without an offset', 'GET …/events?since=2026-01-01T00:00:00');
}

async function playResends(stage: Stage): Promise<void> {
  const { call, prepare } = stage;
  const { tenant, webhook, webhookUid } = await subscribe(stage, ['resent', '/200']);
  const event = await report(stage, tenant);
  await becomes(stage, event, 'delivered');
  const resend = `POST ${event}/resend`;
  const headers = { 'idempotency-key': 'resend-1' };
  await call('resends an event', resend, { headers });
  await call('the same resend again', resend, { headers });
  await call('a delivery that was resent', `GET ${event}/deliveries`, {
    until: ({ body }) => {
      const [delivery] = body['data'] as unknown as { state: string; attemptCount: number }[];
      return delivery?.attemptCount === 2 && delivery.state === 'delivered';
    },
  });
  await prepare(`PATCH ${webhook}`, { body: { active: false } });
  await call('resends to a paused webhook', resend, { body: { webhookUids: [webhookUid] } });
  await becomes(stage, event, 'held');
  const webhookUids = ['whk_00000000000000000000000000'];
  await call('a resend to a webhook that is not there', resend, { body: { webhookUids } });
  const lonely = await report(stage, 'nobody-listens');
  await call('a resend of what nobody is subscribed to', `POST ${lonely}/resend`);
}

async function playReplays(stage: Stage): Promise<void> {
  const { call } = stage;
  const subscription = await subscribe(stage, ['replayed', '/500'], { retrySchedule: [] });
  const { webhook } = subscription;
  await exhaustMany(stage, subscription);
  const replay = `POST ${webhook}/replays`;
  await call('counts what a replay would send', replay, { body: { since, dryRun: true } });
  const slow = { body: { since, perSecond: 1, events: ['agent.updated'], states: ['exhausted'] } };
  const { body: begun } = await call('begins a replay', replay, slow);
  await stage.prepare(`GET ${webhook}/replays/${begun['uid']}`, {
    until: ({ body }) => Number(body['releasedCount']) > 0,
  });
  await call('cancels a replay', `POST ${webhook}/replays/${begun['uid']}/cancel`);
  const options = { body: { since }, headers: { 'idempotency-key': 'replay-1' } };
  const { body: made } = await call('begins a replay of what went wrong', replay, options);
  await call('the same replay again', replay, options);
  const reused = { ...options, body: { since, perSecond: 2 } };
  await call('another replay by the same key', replay, reused);
  const shown = `${webhook}/replays/${made['uid']}`;
  await call('a replay that is done', `GET ${shown}`, { until: has('state', 'done') });
  await call('cancels a replay that is done', `POST ${shown}/cancel`);
  await call('lists replays', `GET ${webhook}/replays`);
  await call('a replay without a time', replay, { body: {} });
  await call('a replay of the future', replay, { body: { since: '2126-01-01T00:00:00Z' } });
  await call('a replay of what waits', replay, { body: { since, states: ['waiting'] } });
  await playRecovery(stage, webhook);
}

async function playRecovery(stage: Stage, webhook: string): Promise<void> {
  const { call, prepare } = stage;
  await allExhausted(stage, webhook);
  const recover = `POST ${webhook}/recover`;
  await call('counts what was lost', recover, { body: { since, dryRun: true } });
  const { body: recovery } = await call('recovers a webhook', recover, {
    body: { since },
    headers: { 'idempotency-key': 'recovery-1' },
  });
  await call('a recovery without a time', recover);
  await prepare(`GET …/replays/${recovery['uid']}`, { until: has('state', 'done') });
  await allExhausted(stage, webhook);
  const body = { since, webhookUids: [webhook.slice('…/webhooks/'.length)] };
  await call('counts a replay to some webhooks', 'POST …/replays', {
    body: { ...body, dryRun: true },
  });
  const options = { body, headers: { 'idempotency-key': 'app-replay-1' } };
  const { body: begun } = await call('begins a replay to some webhooks', 'POST …/replays', options);
  const shown = `…/replays/${begun['uid']}`;
  await call('a replay to some webhooks that is done', `GET ${shown}`, {
    until: has('state', 'done'),
  });
  await call('cancels it', `POST ${shown}/cancel`);
  await call('lists replays of the application', 'GET …/replays');
  await call('a replay of everything to everybody', 'POST …/replays', {
    body: { since, states: ['delivered'] },
  });
}

/** A sync begins 15 s after its request, so a cancelled one has sent nothing. */
async function playSyncs(stage: Stage): Promise<void> {
  const { call } = stage;
  const { webhook } = await subscribe(stage, ['synced', '/200'], {});
  const sync = `POST ${webhook}/sync`;
  await call('counts what a sync would send', sync, { body: { dryRun: true } });
  const body = { entities: ['agent'], externalTenantIds: ['nobody'], perSecond: 1 };
  const options = { body, headers: { 'idempotency-key': 'sync-1' } };
  const { body: begun } = await call('begins a sync', sync, options);
  await call('the same sync again', sync, options);
  const shown = `…/syncs/${begun['uid']}`;
  await call('a sync', `GET ${shown}`);
  await call('cancels a sync', `POST ${shown}/cancel`);
  await call('cancels it again', `POST ${shown}/cancel`);
  await call('lists syncs', 'GET …/syncs');
  await call('a sync of what is not there', sync, { body: { entities: ['user'] } });
}

const failures = 20;

/** Exhausts enough deliveries that a replay of one a second is still running at the next call. */
async function exhaustMany(stage: Stage, { tenant, webhook }: Subscription): Promise<void> {
  for (let n = 0; n < failures; n += 1) await report(stage, tenant);
  await allExhausted(stage, webhook);
}

async function allExhausted({ prepare }: Stage, webhook: string): Promise<void> {
  await prepare(`GET ${webhook}/deliveries?state=exhausted`, {
    until: ({ body }) => body['data']?.['length'] === failures,
  });
}

async function playErasures(stage: Stage): Promise<void> {
  const { call } = stage;
  const { tenant } = await subscribe(stage, ['erased', '/500'], { retrySchedule: ['1h'] });
  const event = await report(stage, tenant);
  await becomes(stage, event, 'retrying');
  const options = {
    body: { externalTenantId: tenant },
    headers: { 'idempotency-key': 'erasure-1' },
  };
  const dryRun = { body: { externalTenantId: tenant, dryRun: true } };
  await call('counts what an erasure would delete', 'POST …/erasures', dryRun);
  const { body: begun } = await call('erases a tenant', 'POST …/erasures', options);
  await call('the same erasure again', 'POST …/erasures', options);
  await call('an erasure whose payloads went', `GET …/erasures/${begun['uid']}`, {
    until: has('erasedCount', 1),
  });
  const isErased = { until: ({ body }: Answer) => typeof body['erasedAt'] === 'string' };
  await call('an event that was erased', `GET ${event}`, isErased);
  await becomes(stage, event, 'cancelled');
  await call('a resend of what was erased', `POST ${event}/resend`);
  await call('erasures', 'GET …/erasures');
  await call('erases mentions', 'POST …/erasures', { body: { mentions: ['user-1'] } });
  const both = { externalTenantId: tenant, mentions: ['user-1'] };
  await call('an erasure of two kinds', 'POST …/erasures', { body: both });
  await call('an erasure of nothing', 'POST …/erasures');
}
