import type { Client, ConnectionLike } from '@temporalio/client';
import { type Clock, systemClock } from '../lib/platform/clock.ts';
import type { Config } from '../lib/config/config.ts';
import { createSecretBox, type SecretBox } from '../lib/platform/secret-box.ts';
import { checkServers, createReadinessCheck, type Readiness } from '../lib/health/readiness.ts';
import { checkSecrets } from '../lib/mongo/secret-checks.ts';
import type { EarlyAttempts } from '../lib/deliveries/early-attempts.ts';
import type { Sender } from '../lib/egress/sender.ts';
import type { Store } from '../lib/mongo/connect.ts';
import { userTokenKeys } from '../lib/identity/key-owner.ts';
import { createKeyRing, type KeyRing } from '../lib/identity/key-ring.ts';
import type { SigningKey } from '../lib/identity/user-token.ts';
import { createWebhookKeys, type WebhookKeys } from '../lib/identity/webhook-keys.ts';
import { createTokenEpochReader, type TokenEpochReader } from '../lib/identity/token-epochs.ts';
import { TokenRecorder } from '../lib/identity/token-recorder.ts';
import { createUserReader, type UserReader } from '../lib/identity/user-reader.ts';
import { Starter } from '../lib/dispatch/starter.ts';
import {
  createPartitionSignaller,
  type SignalPartition,
} from '../lib/temporal/signal-partition.ts';
import {
  createTakenByJobSignaller,
  type SignalTakenByJob,
} from '../lib/temporal/signal-taken-by-job.ts';
import {
  callbackPath,
  createIdentityProvider,
  type IdentityProvider,
} from './admin/oidc/identity-provider.ts';
import { createUseRecorder, type UseRecorder } from './access/record-use.ts';
import { type ApiKeyReader, createApiKeyReader } from './access/api-key-reader.ts';
import { Load } from './access/load.ts';
import { createRateLimits, type RateLimits } from './access/rate-limits.ts';
import { EventStreams } from './events/event-streams.ts';
import { type ChangeCommitter, createChangeCommitter } from './changes/commit-changes.ts';
import {
  createReceiverChallenger,
  type ReceiverChallenger,
} from './webhooks/challenge-receiver.ts';
import { createWebhookReader, type WebhookReader } from './resources/webhook-reader.ts';

export interface ApiContext {
  config: Config;
  store: Store;
  inspectServers: () => Promise<Readiness>;
  starter: Starter;
  signalPartition: SignalPartition;
  signalTakenByJob: SignalTakenByJob;
  findWebhooks: WebhookReader;
  challengeReceiver: ReceiverChallenger;
  commitChange: ChangeCommitter;
  /** Null if the workflow makes the first attempts. */
  earlyAttempts: EarlyAttempts | null;
  findApiKey: ApiKeyReader;
  rateLimits: RateLimits;
  load: Load;
  streams: EventStreams;
  readTokenEpoch: TokenEpochReader;
  readUser: UserReader;
  tokens: TokenRecorder;
  recordKeyUse: UseRecorder;
  recordSessionUse: UseRecorder;
  secretBox: SecretBox;
  identityProvider: IdentityProvider | null;
  signingKeys: KeyRing<SigningKey>;
  webhookKeys: WebhookKeys;
  clock: Clock;
  draining: boolean;
}

interface ApiContextOptions {
  config: Config;
  store: Store;
  /** Sends challenges. */
  sender: Sender;
  temporal: { client: Client; connection: ConnectionLike; namespace: string };
  /** True if a workflow worker runs on the same connection in this process. */
  eager: boolean;
  earlyAttempts?: EarlyAttempts | null;
  /** For tests. The default is the machine's clock. */
  clock?: Clock;
}

/** The caller opens and closes the connections. Throws if a server is not ready. */
export async function createApiContext(options: ApiContextOptions): Promise<ApiContext> {
  const { config, store, sender, eager, earlyAttempts = null, clock = systemClock } = options;
  const { client, connection, namespace } = options.temporal;
  const servers = { store, connection, namespace };
  await checkServers(servers);
  await checkSecrets(store, config);
  const secretBox = createSecretBox(config.sealingKeys);
  const findApiKey = createApiKeyReader(store);
  const { eventsPerWorkflowMax, signingKeyRotationMs: rotationMs } = config;
  const keyRingPorts = { store, secretBox, clock, rotationMs };
  const webhookKeys = createWebhookKeys(keyRingPorts);
  return {
    config,
    store,
    // Readiness makes the same read as a call with a key. No key has this ID.
    inspectServers: createReadinessCheck({ ...servers, clock, readFirst: () => findApiKey('') }),
    starter: new Starter({ client, store, clock, eager, eventsPerWorkflowMax }),
    signalPartition: createPartitionSignaller(client),
    signalTakenByJob: createTakenByJobSignaller(client),
    findWebhooks: createWebhookReader(store),
    challengeReceiver: createReceiverChallenger({ sender, secretBox, webhookKeys, clock }),
    commitChange: createChangeCommitter({ store, clock, earlyAttempts }),
    earlyAttempts,
    findApiKey,
    rateLimits: createRateLimits({ store, clock }, config.rateLimits),
    load: new Load(config.http.requestsAtOnceMax),
    streams: new EventStreams({ store, clock }),
    readTokenEpoch: createTokenEpochReader(store),
    readUser: createUserReader(store),
    tokens: new TokenRecorder(store, clock),
    recordKeyUse: createUseRecorder(clock, store.apiKeys),
    recordSessionUse: createUseRecorder(clock, store.adminSessions),
    secretBox,
    identityProvider:
      config.oidc && createIdentityProvider(config.oidc, config.http.publicUrl + callbackPath),
    signingKeys: createKeyRing(keyRingPorts, userTokenKeys(store)),
    webhookKeys,
    clock,
    draining: false,
  };
}
