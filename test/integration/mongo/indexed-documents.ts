// People, jobs and partitions of every kind that an index distinguishes.
import { newId } from '../../../lib/platform/ids.ts';
import type { UserDocument } from '../../../lib/model/user.ts';
import { makeAdmin } from '../../../lib/access/admins.ts';
import type { Installation } from '../../support/installation.ts';
import { newErasure } from '../../../lib/jobs/erasures.ts';
import { newJob, newRelease } from '../../../lib/jobs/jobs.ts';
import { newReplayJob, newSyncJob } from '../../support/jobs.ts';
import {
  type PartitionDocument,
  partitionId,
  type PartitionKey,
} from '../../../lib/model/partition.ts';

interface ManyPeople {
  /** How many of each kind. */
  count: number;
  at: Date;
}

/** Writes these people into an installation. */
export async function writePeople(installation: Installation, many: ManyPeople): Promise<void> {
  await writeUsers(installation, many);
  await writeAgents(installation, many);
  await writeAdmins(installation, many);
}

async function writeUsers({ store, app }: Installation, { count, at }: ManyPeople): Promise<void> {
  const { appUid } = app;
  const numbers = Array.from({ length: count }, (_none, index) => index);
  const make = (fields: Partial<UserDocument>): UserDocument => ({
    _id: newId('usr', at),
    appUid,
    name: null,
    accountUids: ['acc_other'],
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
    ...fields,
  });
  await store.users.insertMany([
    ...numbers.map((n) => make({ externalId: `user-${n}` })),
    ...numbers.map((n) => make({ emailKey: `key-${n}` })),
    make({ externalId: 'named', name: 'Ada' }),
    ...numbers.map(() => make({ accountUids: [], deletedAt: at })),
    make({ externalId: 'member', accountUids: ['acc_left', 'acc_other'] }),
  ]);
}

async function writeAgents({ store, app }: Installation, { count, at }: ManyPeople): Promise<void> {
  const { appUid } = app;
  const numbers = Array.from({ length: count }, (_none, index) => index);
  const lists = [null, ['acc_other'], [], ['acc_left', 'acc_other']];
  await store.agents.insertMany(
    numbers.map((n) => ({
      _id: newId('agt', at),
      appUid,
      externalTenantId: 'tenant-1',
      agentName: 'A',
      live: true,
      description: null,
      accountUids: lists[n] ?? null,
      createdAt: at,
      updatedAt: at,
    })),
  );
}

async function writeAdmins({ store }: Installation, { count, at }: ManyPeople): Promise<void> {
  const numbers = Array.from({ length: count }, (_none, index) => index);
  const make = (n: number, hasIdentity: boolean) => ({
    ...makeAdmin(
      { email: `${n}-${hasIdentity}@example.com`, passwordHash: null, superuser: false },
      at,
    ),
    ...(hasIdentity ? { identity: { issuer: 'https://id.example', subject: `s-${n}` } } : {}),
  });
  await store.admins.insertMany([
    ...numbers.map((n) => make(n, true)),
    ...numbers.map((n) => make(n, false)),
  ]);
}

interface ManyJobs {
  /** The webhook of one replay. */
  webhookUid: string;
  /** How many releases, and replays of other webhooks. */
  count: number;
  at: Date;
}

/** Writes jobs that have a workflow, and one release that has none. */
export async function writeJobs(
  { store, app }: Installation,
  { webhookUid, count, at }: ManyJobs,
): Promise<void> {
  const { appUid } = app;
  const numbers = Array.from({ length: count }, (_, index) => index);
  const make = () => newRelease({ appUid, webhookUid: 'whk_other' }, at);
  const started = numbers.map(() => ({ ...make(), startedAt: at }));
  const replays = [webhookUid, ...numbers.map((n) => `whk_${n}`)].map((uid) =>
    newReplayJob({ appUid, webhookUid: uid, createdAt: at, startedAt: at }),
  );
  const others = [
    { ...newJob(appUid, at), kind: 'resend' as const, eventId: 'evt_1', webhookUids: [] },
    newSyncJob({ appUid, webhookUid: 'whk_other', createdAt: at }),
    newErasure(appUid, { externalTenantId: 'tenant-nobody' }, at),
  ].map((job) => ({ ...job, startedAt: at }));
  const waiting = { webhookUid: 'whk_waiting', createdAt: at, state: 'waiting' } as const;
  const all = [...started, make(), ...replays, ...others, newReplayJob({ appUid, ...waiting })];
  await store.jobs.insertMany(all);
}

interface ManyPartitions {
  partition: PartitionKey;
  count: number;
  at: Date;
  /** When others are to be signalled. */
  failedAt: Date;
}

/** Writes idle, waiting, overdue and parked partitions. */
export async function writePartitions(
  { store }: Installation,
  { partition, count, at, failedAt }: ManyPartitions,
): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const make = (resourceUid: string, signalAt: Date | null): PartitionDocument => ({
    ...partition,
    _id: partitionId({ ...partition, resourceUid }),
    resourceUid,
    settled: 0,
    lease: null,
    signalAt,
  });
  await store.partitions.insertMany([
    ...numbers.map((n) => make(`idle-${n}`, null)),
    ...numbers.map((n) => make(`waiting-${n}`, failedAt)),
    make('overdue', at),
    { ...make('parked', null), webhookUid: 'whk_forgotten', retry: { isParked: true, dueAt: at } },
  ]);
}
