// The lists of events, deliveries, replays, erasures, users and accounts are read through an index, as MongoDB's profiler
// shows.
import type { Document } from 'mongodb';
import { makeAccount } from '../../../lib/access/apps.ts';
import { newErasure } from '../../../lib/jobs/erasure/erasures.ts';
import type { ReplayJob } from '../../../lib/model/job.ts';
import { newId } from '../../../lib/platform/ids.ts';
import { insertWebhook, newDelivery, newEvent } from '../../support/fixtures.ts';
import { newReplayJob } from '../../support/jobs.ts';
import { indexesOf, profile } from '../../support/query-plans.ts';
import { useService } from '../../support/use-service.ts';
import { itemsOf } from './problems.ts';

// Documents of a list alternate with others, so that a plan that reads more than its page is detected.
const count = 60;
const limit = 10;
const at = new Date('2026-01-01T00:00:00Z');
const day = 'since=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z';

let eventId: string;
let webhookUid: string;

const service = useService({ worker: false });

beforeAll(async () => {
  const { events, deliveries, jobs, users, accounts } = service.store;
  const stranger = { app: { ...service.app, appUid: 'app_other' } };
  const mixed = <T>(make: (n: number) => T[]): T[] =>
    Array.from({ length: count }, (_, n) => make(n)).flat();
  const written = mixed(() => [newEvent(stranger, [], at), newEvent(service, [], at)]);
  await events.insertMany(written);
  eventId = written.at(-1)?._id ?? '';
  webhookUid = (await insertWebhook(service, { url: 'http://127.0.0.1:1/' }))._id;
  const delivered = { state: 'delivered', statusClass: '2xx' } as const;
  const exhausted = { state: 'exhausted', statusClass: '5xx', errorClass: 'status' } as const;
  await deliveries.insertMany(
    mixed(() => [
      newDelivery(service, at, { eventId, ...delivered }),
      newDelivery(service, at, { webhookUid, ...delivered }),
      newDelivery(service, at, { webhookUid, ...exhausted }),
      newDelivery(stranger, at, delivered),
    ]),
  );
  const replayOf = (uid: string): ReplayJob =>
    newReplayJob({ appUid: service.app.appUid, webhookUid: uid, createdAt: at });
  await jobs.insertMany(mixed((n) => [replayOf(webhookUid), replayOf(`whk_${n}`)]));
  const { appUid } = service.app;
  await jobs.insertMany(mixed(() => [newErasure(appUid, { externalTenantId: 'tenant-1' }, at)]));
  // Most are of one application, where MongoDB would read the index of all uids.
  const owners = ['app_other', ...Array.from({ length: 9 }, () => appUid)];
  const facts = { name: null, tokenEpoch: 0, createdAt: at, updatedAt: at, deletedAt: null };
  const userOf = (owner: string, externalId: string) => ({
    ...facts,
    _id: newId('usr', at),
    appUid: owner,
    externalId,
    accountUids: [service.app.accountUid],
  });
  await users.insertMany(mixed((n) => owners.map((owner, m) => userOf(owner, `${n}-${m}`))));
  await accounts.insertMany(
    mixed((n) => owners.map((owner) => makeAccount({ appUid: owner, name: `${n}` }, at))),
  );
});

const lists: [index: string, what: string, path: () => string][] = [
  ['events.event', 'events', () => '/events?'],
  ['events.event', 'events of a day', () => `/events?${day}`],
  ['deliveries._id_', 'the deliveries of an event', () => `/events/${eventId}/deliveries?`],
  [
    'deliveries.webhookState',
    'the deliveries of a webhook',
    () => `/webhooks/${webhookUid}/deliveries?`,
  ],
  [
    'deliveries.webhookState',
    'those that were delivered',
    () => `/webhooks/${webhookUid}/deliveries?state=delivered&statusClass=2xx&${day}`,
  ],
  ['jobs.webhook', 'the replays of a webhook', () => `/webhooks/${webhookUid}/replays?`],
  ['jobs.app', 'the replays of the application', () => '/replays?'],
  ['jobs.app', 'the erasures of the application', () => '/erasures?'],
  ['users.app', 'users', () => '/sdkusers?'],
  ['users.members', 'members', () => `/accounts/${service.app.accountUid}/members?`],
  ['accounts.app', 'accounts', () => '/accounts?'],
];

test.each(lists)(
  'the index %s serves the list of %s, page by page',
  async (index, _what, pathOf) => {
    const [collection = ''] = index.split('.');
    let cursor = '';
    for (let page = 0; page < 2; page += 1) {
      let found = 0;
      const profiles = await profile(service.store, collection, async () => {
        const answer = await service.call('GET', `${pathOf()}&limit=${limit}${cursor}`);
        found = itemsOf(answer).length;
        cursor = `&cursor=${String(answer.body['nextCursor'])}`;
      });
      expect(found).toBe(limit);
      const reads = profiles.filter(({ execStats }) =>
        indexesOf(execStats as Document, collection).has(index),
      );
      expect(reads.length).toBeGreaterThan(0);
      for (const { docsExamined, nreturned, hasSortStage } of reads) {
        expect(docsExamined).toBe(nreturned);
        expect(hasSortStage).toBeUndefined();
      }
      expect(profiles.map(({ planSummary }) => planSummary)).not.toContain('COLLSCAN');
    }
  },
);
