import {
  type ClientSession,
  MongoBulkWriteError,
  MongoClient,
  type MongoClientOptions,
  MongoOperationTimeoutError,
} from 'mongodb';
import { processLimits } from '../limits.ts';
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
import type { PaceDocument } from '../model/pace.ts';
import type { PartitionDocument } from '../model/partition.ts';
import type { RateCountDocument } from '../model/rate-count.ts';
import type { AgentDocument, ContextDocument, ContextFileDocument } from '../model/resource.ts';
import type { SequenceDocument } from '../model/sequence.ts';
import type { SignInThrottleDocument } from '../model/sign-in-throttle.ts';
import type { SigningKeyDocument } from '../model/signing-key.ts';
import type { StatisticsCursorDocument, StatisticsDocument } from '../model/statistics.ts';
import type { UserDocument } from '../model/user.ts';
import type { StoredWebhook } from '../model/webhook.ts';
import { connectFault } from './connect-fault.ts';
import { TracedConnection } from './traced-connection.ts';
import { observePool } from './observe-pool.ts';

/** The database of the service: one typed collection a noun. Dispose of it to close the connection. */
export type Store = ReturnType<typeof openStore>;

const duplicateKeyCode = 11_000;
const operationTimeoutMs = processLimits.mongoTimeoutMs;

/** Connects to MongoDB. Throws a sentence, with the driver's error as its cause, when it cannot within 5 s. */
export async function connectStore(settings: { uri: string; database: string }): Promise<Store> {
  const options: MongoClientOptions & { connectionType: typeof TracedConnection } = {
    connectionType: TracedConnection,
    appName: 'agent-herald',
    writeConcern: { w: 'majority', journal: true },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
    retryWrites: true,
    retryReads: true,
    maxPoolSize: processLimits.mongoConnectionsMax,
    minPoolSize: 2,
    // Else a call waits for ever for a connection of the pool.
    waitQueueTimeoutMS: operationTimeoutMs,
    serverSelectionTimeoutMS: operationTimeoutMs,
    connectTimeoutMS: operationTimeoutMs,
    heartbeatFrequencyMS: processLimits.mongoHeartbeatMs,
    socketTimeoutMS: 3 * operationTimeoutMs,
    ignoreUndefined: true,
  };
  const client = makeClient(settings.uri, options);
  try {
    await client.connect();
  } catch (error) {
    await client.close();
    throw connectFault(settings.uri, error);
  }
  return openStore(client, settings.database);
}

function makeClient(uri: string, options: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(uri, options);
  } catch (error) {
    throw connectFault(uri, error);
  }
}

function openStore(client: MongoClient, database: string) {
  const db = client.db(database);
  const stopObserving = observePool(client);
  return {
    client,
    db,
    apps: db.collection<AppDocument>('apps'),
    accounts: db.collection<AccountDocument>('accounts'),
    apiKeys: db.collection<ApiKeyDocument>('apiKeys'),
    users: db.collection<UserDocument>('users'),
    webhooks: db.collection<StoredWebhook>('webhooks'),
    agents: db.collection<AgentDocument>('agents'),
    contexts: db.collection<ContextDocument>('contexts'),
    contextFiles: db.collection<ContextFileDocument>('contextFiles'),
    events: db.collection<EventDocument>('events'),
    deliveries: db.collection<DeliveryDocument>('deliveries'),
    jobs: db.collection<JobDocument>('jobs'),
    partitions: db.collection<PartitionDocument>('partitions'),
    paces: db.collection<PaceDocument>('paces'),
    sequences: db.collection<SequenceDocument>('sequences'),
    statistics: db.collection<StatisticsDocument>('statistics'),
    statisticsCursors: db.collection<StatisticsCursorDocument>('statisticsCursors'),
    signingKeys: db.collection<SigningKeyDocument>('signingKeys'),
    idempotencyKeys: db.collection<IdempotencyDocument>('idempotencyKeys'),
    auditLog: db.collection<AuditDocument>('auditLog'),
    rateCounts: db.collection<RateCountDocument>('rateCounts'),
    admins: db.collection<AdminDocument>('admins'),
    memberships: db.collection<MembershipDocument>('memberships'),
    adminSessions: db.collection<AdminSessionDocument>('adminSessions'),
    signInThrottles: db.collection<SignInThrottleDocument>('signInThrottles'),
    [Symbol.asyncDispose]: async () => {
      stopObserving();
      await client.close();
    },
  };
}

/**
 * Runs `work` again on each write conflict: it must do nothing but read and write through the session.
 * Throws a `MongoOperationTimeoutError` rather than begin again after 10 s. The driver repeats a commit of
 * unknown result for 2 min.
 */
export async function inTransaction<T>(
  store: Store,
  work: (session: ClientSession) => Promise<T>,
): Promise<T> {
  const endsAtMs = performance.now() + processLimits.transactionBeginsMsMax;
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

export function within(session: ClientSession | undefined): { session?: ClientSession } {
  return session === undefined ? {} : { session };
}

/** Returns the documents of an unordered insert that a unique index refused. Throws other errors. */
export function duplicateIndexes(error: unknown): Set<number> {
  if (!(error instanceof MongoBulkWriteError)) throw error;
  const refusals = [error.writeErrors].flat();
  // Without a refusal the whole call failed, such as for a lost connection.
  if (refusals.length === 0) throw causeOfBulkError(error);
  if (refusals.some((refusal) => refusal.code !== duplicateKeyCode)) throw error;
  // A write concern that was not met leaves all documents in doubt.
  if (error.result.getWriteConcernError() !== undefined) throw error;
  return new Set(refusals.map((refusal) => refusal.index));
}

/** Returns the error, such as a network error, that the driver wrapped in that of a bulk write; else the error. */
export function causeOfBulkError(error: unknown): unknown {
  const isWrapped =
    error instanceof MongoBulkWriteError && (error.errorResponse as unknown) instanceof Error;
  return isWrapped ? error.errorResponse : error;
}

export function isDuplicateKey(error: unknown): boolean {
  return errorCode(error) === duplicateKeyCode;
}
