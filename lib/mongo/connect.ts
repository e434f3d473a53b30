import { MongoClient, type MongoClientOptions } from 'mongodb';
import { processLimits } from '../limits.ts';
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
import type { RateLimiterDocument } from '../model/rate-limiter.ts';
import type { PartitionDocument } from '../model/partition.ts';
import type { RateCountDocument } from '../model/rate-count.ts';
import type { AgentDocument, ContextDocument, ContextFileDocument } from '../model/resource.ts';
import type { SecretCheckDocument } from '../model/secret-check.ts';
import type { SequenceDocument } from '../model/sequence.ts';
import type { SignInThrottleDocument } from '../model/sign-in-throttle.ts';
import type { SigningKeyDocument } from '../model/signing-key.ts';
import type { StatisticsCursorDocument, StatisticsDocument } from '../model/statistics.ts';
import type { TokenDocument } from '../model/token.ts';
import type { UserDocument } from '../model/user.ts';
import type { StoredWebhook } from '../model/webhook.ts';
import { connectFault } from './connect-fault.ts';
import { ObservedConnection } from './connection.ts';
import { observePool } from './observe-pool.ts';

/** The database of the service, with one typed collection per kind of document. Dispose of it to disconnect. */
export type Store = ReturnType<typeof openStore>;

const operationTimeoutMs = processLimits.mongoTimeoutMs;

/**
 * Connects to MongoDB. Throws a clear sentence, with the driver's error as its cause, if it cannot within 5 s. A
 * command may take 15 s unless `socketTimeoutMs` is given; 0 means no limit.
 */
export async function connectStore(
  settings: { uri: string; database: string },
  { socketTimeoutMs = 3 * operationTimeoutMs }: { socketTimeoutMs?: number } = {},
): Promise<Store> {
  const options: MongoClientOptions & { connectionType: typeof ObservedConnection } = {
    connectionType: ObservedConnection,
    appName: 'agent-herald',
    writeConcern: { w: 'majority', journal: true },
    readConcern: { level: 'majority' },
    readPreference: 'primary',
    retryWrites: true,
    retryReads: true,
    maxPoolSize: processLimits.mongoConnectionsMax,
    minPoolSize: 2,
    // Without it, a call would wait for a connection of the pool without end.
    waitQueueTimeoutMS: operationTimeoutMs,
    serverSelectionTimeoutMS: operationTimeoutMs,
    connectTimeoutMS: operationTimeoutMs,
    heartbeatFrequencyMS: processLimits.mongoHeartbeatMs,
    socketTimeoutMS: socketTimeoutMs,
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
    tokens: db.collection<TokenDocument>('tokens'),
    webhooks: db.collection<StoredWebhook>('webhooks'),
    agents: db.collection<AgentDocument>('agents'),
    contexts: db.collection<ContextDocument>('contexts'),
    contextFiles: db.collection<ContextFileDocument>('contextFiles'),
    events: db.collection<EventDocument>('events'),
    deliveries: db.collection<DeliveryDocument>('deliveries'),
    jobs: db.collection<JobDocument>('jobs'),
    partitions: db.collection<PartitionDocument>('partitions'),
    rateLimiters: db.collection<RateLimiterDocument>('rateLimiters'),
    sequences: db.collection<SequenceDocument>('sequences'),
    statistics: db.collection<StatisticsDocument>('statistics'),
    statisticsCursors: db.collection<StatisticsCursorDocument>('statisticsCursors'),
    signingKeys: db.collection<SigningKeyDocument>('signingKeys'),
    webhookKeys: db.collection<SigningKeyDocument>('webhookKeys'),
    secretChecks: db.collection<SecretCheckDocument>('secretChecks'),
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
