// The connection to MongoDB and the collections on it.
import {
  type ClientSession,
  type Collection,
  type Db,
  MongoBulkWriteError,
  MongoClient,
  type MongoClientOptions,
  MongoOperationTimeoutError,
} from 'mongodb';
import { errorCode } from '../platform/error-code.ts';
import type { AccountDocument } from '../model/account.ts';
import type { AdminSessionDocument } from '../model/admin-session.ts';
import type { AdminDocument } from '../model/admin.ts';
import type { ApiKeyDocument } from '../model/api-key.ts';
import type { AppDocument } from '../model/app.ts';
import type { AuditDocument } from '../model/audit-log.ts';
import type { DeliveryDocument } from '../model/delivery.ts';
import type { EventDocument } from '../model/event.ts';
import type { IdempotencyDocument } from '../model/idempotency.ts';
import type { JobDocument } from '../model/job.ts';
import type { MembershipDocument } from '../model/membership.ts';
import type { PartitionDocument } from '../model/partition.ts';
import type { RateCountDocument } from '../model/rate-count.ts';
import type { AgentDocument, ContextDocument, ContextFileDocument } from '../model/resource.ts';
import type { SequenceDocument } from '../model/sequence.ts';
import type { SignInThrottleDocument } from '../model/sign-in-throttle.ts';
import type { SigningKeyDocument } from '../model/signing-key.ts';
import type { UserDocument } from '../model/user.ts';
import type { WebhookDocument } from '../model/webhook.ts';
import { ClosableConnection } from './closable-connection.ts';

/** The database of the service: one typed collection a noun. Dispose of it to close the connection. */
export interface Store extends AsyncDisposable {
  client: MongoClient;
  db: Db;
  apps: Collection<AppDocument>;
  accounts: Collection<AccountDocument>;
  apiKeys: Collection<ApiKeyDocument>;
  users: Collection<UserDocument>;
  webhooks: Collection<WebhookDocument>;
  agents: Collection<AgentDocument>;
  contexts: Collection<ContextDocument>;
  contextFiles: Collection<ContextFileDocument>;
  events: Collection<EventDocument>;
  deliveries: Collection<DeliveryDocument>;
  jobs: Collection<JobDocument>;
  partitions: Collection<PartitionDocument>;
  sequences: Collection<SequenceDocument>;
  signingKeys: Collection<SigningKeyDocument>;
  idempotencyKeys: Collection<IdempotencyDocument>;
  auditLog: Collection<AuditDocument>;
  rateCounts: Collection<RateCountDocument>;
  admins: Collection<AdminDocument>;
  memberships: Collection<MembershipDocument>;
  adminSessions: Collection<AdminSessionDocument>;
  signInThrottles: Collection<SignInThrottleDocument>;
}

const duplicateKeyCode = 11_000;
const operationTimeoutMs = 5_000;
/** The driver alone would begin a transaction again for two minutes; whoever waits has gone by then. */
const transactionBeginsMsMax = 2 * operationTimeoutMs;

/**
 * Connects to MongoDB and gives the collections. Every write is acknowledged by a majority and
 * journalled, every read sees only such writes. Throws the driver's error when no server answers
 * within five seconds.
 */
export async function connectStore(settings: { uri: string; database: string }): Promise<Store> {
  const options: MongoClientOptions & { connectionType: typeof ClosableConnection } = {
    connectionType: ClosableConnection,
    appName: 'agent-herald',
    writeConcern: { w: 'majority', journal: true },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
    retryWrites: true,
    retryReads: true,
    maxPoolSize: 50,
    minPoolSize: 2,
    // The driver's default is to wait for ever for a connection of the pool.
    waitQueueTimeoutMS: operationTimeoutMs,
    serverSelectionTimeoutMS: operationTimeoutMs,
    connectTimeoutMS: operationTimeoutMs,
    socketTimeoutMS: 3 * operationTimeoutMs,
    ignoreUndefined: true,
  };
  const client = new MongoClient(settings.uri, options);
  try {
    await client.connect();
  } catch (error) {
    await client.close();
    throw error;
  }
  return openStore(client, settings.database);
}

function openStore(client: MongoClient, database: string): Store {
  const db = client.db(database);
  return {
    client,
    db,
    apps: db.collection('apps'),
    accounts: db.collection('accounts'),
    apiKeys: db.collection('apiKeys'),
    users: db.collection('users'),
    webhooks: db.collection('webhooks'),
    agents: db.collection('agents'),
    contexts: db.collection('contexts'),
    contextFiles: db.collection('contextFiles'),
    events: db.collection('events'),
    deliveries: db.collection('deliveries'),
    jobs: db.collection('jobs'),
    partitions: db.collection('partitions'),
    sequences: db.collection('sequences'),
    signingKeys: db.collection('signingKeys'),
    idempotencyKeys: db.collection('idempotencyKeys'),
    auditLog: db.collection('auditLog'),
    rateCounts: db.collection('rateCounts'),
    admins: db.collection('admins'),
    memberships: db.collection('memberships'),
    adminSessions: db.collection('adminSessions'),
    signInThrottles: db.collection('signInThrottles'),
    async [Symbol.asyncDispose]() {
      await client.close();
    },
  };
}

/**
 * Runs `work` in one transaction and gives what it gives. The driver runs it again on a write
 * conflict, so `work` must do nothing but read and write through the session. Throws the driver's
 * error, and its `MongoOperationTimeoutError`, caused by what was in the way, when after ten seconds
 * it would be run once more. A commit whose result nobody knows the driver repeats for two minutes.
 */
export async function inTransaction<T>(
  store: Store,
  work: (session: ClientSession) => Promise<T>,
): Promise<T> {
  const endsAtMs = performance.now() + transactionBeginsMsMax;
  let cause: Error | null = null;
  const beginInTime = async (session: ClientSession): Promise<T> => {
    if (performance.now() >= endsAtMs) {
      const message = 'a transaction was begun again and again';
      throw new MongoOperationTimeoutError(message, cause === null ? {} : { cause });
    }
    try {
      return await work(session);
    } catch (error) {
      if (error instanceof Error) cause = error;
      throw error;
    }
  };
  return store.client.withSession((session) =>
    session.withTransaction(beginInTime, {
      readConcern: { level: 'snapshot' },
      writeConcern: { w: 'majority', journal: true },
      readPreference: 'primary',
      maxCommitTimeMS: operationTimeoutMs,
    }),
  );
}

/** Gives the options of a call that is part of a transaction where there is one. */
export function within(session: ClientSession | undefined): { session?: ClientSession } {
  return session === undefined ? {} : { session };
}

/**
 * Gives which documents of an unordered insert were refused because a unique value was there
 * already; throws the error when anything else was wrong: then it is not known what was written.
 */
export function duplicateIndexes(error: unknown): Set<number> {
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const refusals = [error.writeErrors].flat();
  // Without a refusal of a document it is a fault of the whole call, such as a lost connection.
  if (refusals.length === 0) throw causeOfBulkError(error);
  if (refusals.some((refusal) => refusal.code !== duplicateKeyCode)) throw error;
  // A write concern that was not met is no refusal of a document but a doubt about all of them.
  if (error.result.getWriteConcernError() !== undefined) throw error;
  return new Set(refusals.map((refusal) => refusal.index));
}

/**
 * Gives the error that the driver wrapped in that of a bulk write (`insertMany`, `bulkWrite`): it does so
 * with network errors too. Any other error is given as it is.
 */
export function causeOfBulkError(error: unknown): unknown {
  const isWrapped =
    error instanceof MongoBulkWriteError && (error.errorResponse as unknown) instanceof Error;
  return isWrapped ? error.errorResponse : error;
}

/** Tells whether an error is MongoDB's refusal of a second document with a unique value. */
export function isDuplicateKey(error: unknown): boolean {
  return errorCode(error) === duplicateKeyCode;
}
