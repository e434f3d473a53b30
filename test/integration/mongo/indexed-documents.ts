// People, jobs and partitions of every kind that an index distinguishes.
import { makeAdmin } from '../../../lib/access/admins.ts';
import { newErasure } from '../../../lib/jobs/erasure/erasures.ts';
import { newJob, newRelease } from '../../../lib/jobs/jobs.ts';
import {
  type PartitionDocument,
  partitionId,
  type PartitionKey,
} from '../../../lib/model/partition.ts';
import type { UserDocument } from '../../../lib/model/user.ts';
import { newId } from '../../../lib/platform/ids.ts';
import type { Installation } from '../../support/installation.ts';
import { newReplayJob, newSyncJob } from '../../support/jobs.ts';

interface Many {
  /** How many of each kind. */
  count: number;
  at: Date;
}

const numbersOf = ({ count }: Many): number[] => Array.from({ length: count }, (_, index) => index);

/** Writes users, agents and admins. */
export async function writePeople({ store, app }: Installation, many: Many): Promise<void> {
  const { appUid } = app;
  const { at } = many;
  const numbers = numbersOf(many);
  const times = { createdAt: at, updatedAt: at };
  const user = (fields: Partial<UserDocument>): UserDocument => {
    const facts = { appUid, name: null, accountUids: ['acc_other'], deletedAt: null };
    return { _id: newId('usr', at), ...facts, tokenEpoch: 0, ...times, ...fields };
  };
  await store.users.insertMany([
    ...numbers.map((n) => user({ externalId: `user-${n}` })),
    ...numbers.map((n) => user({ emailKey: `key-${n}` })),
    user({ externalId: 'named', name: 'Ada' }),
    ...numbers.map(() => user({ accountUids: [], deletedAt: at })),
    user({ externalId: 'member', accountUids: ['acc_left', 'acc_other'] }),
  ]);
  const lists = [null, ['acc_other'], [], ['acc_left', 'acc_other']];
  const agent = { appUid, externalTenantId: 'tenant-1', agentName: 'A', live: true };
  await store.agents.insertMany(
    numbers.map((n) => {
      const facts = { description: null, accountUids: lists[n] ?? null };
      return { _id: newId('agt', at), ...agent, ...facts, ...times };
    }),
  );
  const admin = (name: string) =>
    makeAdmin({ email: `${name}@example.com`, passwordHash: null, superuser: false }, at);
  const identity = (n: number) => ({ issuer: 'https://id.example', subject: `s-${n}` });
  await store.admins.insertMany([
    ...numbers.map((n) => ({ ...admin(`${n}-known`), identity: identity(n) })),
    ...numbers.map((n) => admin(`${n}-unknown`)),
  ]);
}

/** Writes jobs that have a workflow, among them one replay of the webhook, and one release that has none. */
export async function writeJobs(
  { store, app }: Installation,
  { webhookUid, ...many }: Many & { webhookUid: string },
): Promise<void> {
  const { appUid } = app;
  const { at } = many;
  const numbers = numbersOf(many);
  const release = () => newRelease({ appUid, webhookUid: 'whk_other' }, at);
  const replays = [webhookUid, ...numbers.map((n) => `whk_${n}`)].map((uid) =>
    newReplayJob({ appUid, webhookUid: uid, createdAt: at, startedAt: at }),
  );
  const resent = { eventId: 'evt_1', webhookUids: [], seenDiscards: [] };
  const others = [
    ...numbers.map(release),
    { ...newJob(appUid, at), kind: 'resend' as const, ...resent },
    newSyncJob({ appUid, webhookUid: 'whk_other', createdAt: at }),
    newErasure(appUid, { externalTenantId: 'tenant-nobody' }, at),
  ].map((job) => ({ ...job, startedAt: at }));
  const waiting = { webhookUid: 'whk_waiting', createdAt: at, state: 'waiting' } as const;
  const unstarted = [release(), newReplayJob({ appUid, ...waiting })];
  await store.jobs.insertMany([...others, ...replays, ...unstarted]);
}

/** Writes idle, waiting, overdue and parked partitions; those that wait are signalled at `failedAt`. */
export async function writePartitions(
  { store }: Installation,
  { partition, failedAt, ...many }: Many & { partition: PartitionKey; failedAt: Date },
): Promise<void> {
  const { at } = many;
  const numbers = numbersOf(many);
  const make = (resourceUid: string, signalAt: Date | null): PartitionDocument => {
    const _id = partitionId({ ...partition, resourceUid });
    return { ...partition, _id, resourceUid, settled: 0, lease: null, signalAt };
  };
  await store.partitions.insertMany([
    ...numbers.map((n) => make(`idle-${n}`, null)),
    ...numbers.map((n) => make(`waiting-${n}`, failedAt)),
    make('overdue', at),
    { ...make('parked', null), webhookUid: 'whk_forgotten', retry: { isParked: true, dueAt: at } },
  ]);
}
