// Written by `npm run generate` from docs/openapi.json.
import type { CallOptions, IdempotentCallOptions } from '../options.ts';
import type { Pages } from '../pages.ts';
import type { EventStream, StreamOptions } from '../stream.ts';
import type {
  Entity,
  SubscribedEventName,
  EventName,
  DeliveryState,
  StatusClass,
  ErrorClass,
  Interval,
  Account,
  Agent,
  AuditRow,
  Backlog,
  ChangeAccountBody,
  ChangeAgentBody,
  ChangeContextBody,
  ChangeContextFileBody,
  ChangeUserBody,
  ChangeWebhookBody,
  CheckWebhookUrlBody,
  CheckedUrl,
  Context,
  ContextFile,
  CreateAccountBody,
  CreateAgentBody,
  CreateContextBody,
  CreateContextFileBody,
  CreateErasureBody,
  CreateReplayBody,
  CreateWebhookBody,
  CreateWebhookReplayBody,
  Delivery,
  DeliveryDetail,
  DeliveryStatistics,
  Erasure,
  ErasureDryRun,
  Event,
  EventType,
  EventWithPayload,
  ExplainedWebhook,
  Health,
  JwkSet,
  LatestOutcomes,
  Readiness,
  RecoverWebhookBody,
  Replay,
  ReplayDetail,
  ReplayDryRun,
  ReportChangeBody,
  ReportedChange,
  ResendEventBody,
  Resent,
  RotateWebhookSecretBody,
  Settings,
  SignUserInBody,
  SignedIn,
  StartedReplay,
  StartedSync,
  Sync,
  SyncDetail,
  SyncDryRun,
  SyncWebhookBody,
  TestWebhookBody,
  TestedWebhook,
  User,
  UserToken,
  VerifiedToken,
  VerifyTokenBody,
  Webhook,
  WebhookFailures,
  WebhookSources,
  WebhookStatistics,
  WebhookWithSecret,
} from './models.ts';

export interface UsersCalls {
  /** Sign in a user. The first sign-in creates the user. The API key needs the scope `users:auth`. */
  signIn(body: SignUserInBody, options?: CallOptions): Promise<SignedIn>;
  /** Verify a token. If you send `agentUid`, the response shows whether the user can reach that agent. The API key needs the scope `users:auth`. */
  verifyToken(body: VerifyTokenBody, options?: CallOptions): Promise<VerifiedToken>;
  /** Revoke the tokens of all users. The API key needs the scope `users:auth`. */
  revokeAllTokens(options?: CallOptions): Promise<void>;
  /** Revoke the tokens of a user. The API key needs the scope `users:auth`. */
  revokeTokens(userUid: string, options?: CallOptions): Promise<void>;
  /** List the tokens of a user. The list has the valid tokens, ordered from newest to oldest. It may lack a token of the last second, or of an overloaded service. The API key needs the scope `users:auth`. */
  tokens(
    userUid: string,
    query?: {
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<UserToken>;
  /** Revoke one token of a user. The other tokens of the user stay valid. The API key needs the scope `users:auth`. */
  revokeToken(userUid: string, tokenUid: string, options?: CallOptions): Promise<void>;
  /** List users. The list is ordered from newest to oldest, or with `namePrefix` by name. Users without a name are not in the latter. The API key needs the scope `admin`. */
  list(
    query?: {
      externalId?: string;
      email?: string;
      namePrefix?: string;
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<User>;
  /** Get a user. The API key needs the scope `admin`. */
  get(userUid: string, options?: CallOptions): Promise<User>;
  /** Change the name of a user. The API key needs the scope `admin`. */
  change(userUid: string, body: ChangeUserBody, options?: CallOptions): Promise<User>;
  /** Delete a user. The call erases the identity of the user and revokes the tokens. The API key needs the scope `admin`. */
  delete(userUid: string, options?: CallOptions): Promise<void>;
}

export interface AccountsCalls {
  /** Create an account. The API key needs the scope `admin`. */
  create(body: CreateAccountBody, options?: IdempotentCallOptions): Promise<Account>;
  /** List accounts. The list is ordered from newest to oldest, or with `namePrefix` by name. The API key needs the scope `admin`. */
  list(
    query?: {
      namePrefix?: string;
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<Account>;
  /** Get an account. The API key needs the scope `admin`. */
  get(accountUid: string, options?: CallOptions): Promise<Account>;
  /** Change the name of an account. The API key needs the scope `admin`. */
  change(accountUid: string, body: ChangeAccountBody, options?: CallOptions): Promise<Account>;
  /** Delete an account. The account is removed from its users and agents. Event: `agent.updated` for each of these agents. The API key needs the scope `admin`. */
  delete(accountUid: string, options?: CallOptions): Promise<void>;
  /** List the users in an account. The list is ordered from newest to oldest. The API key needs the scope `admin`. */
  members(
    accountUid: string,
    query?: {
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<User>;
  /** Add a user to an account. The API key needs the scope `admin`. */
  addMember(accountUid: string, userUid: string, options?: CallOptions): Promise<void>;
  /** Remove a user from an account. The API key needs the scope `admin`. */
  removeMember(accountUid: string, userUid: string, options?: CallOptions): Promise<void>;
}

export interface WebhooksCalls {
  /** Create a webhook. The API key needs the scope `webhooks:write`. */
  create(body: CreateWebhookBody, options?: IdempotentCallOptions): Promise<WebhookWithSecret>;
  /** Check the URL of a webhook. The call applies the rules for new webhooks. It does not check the address behind a host name. That address is checked at each attempt. The API key needs the scope `webhooks:write`. */
  checkUrl(body: CheckWebhookUrlBody, options?: CallOptions): Promise<CheckedUrl>;
  /** List webhooks. The list has all webhooks, from oldest to newest. The API key needs the scope `webhooks:read`. */
  list(options?: CallOptions): Pages<Webhook>;
  /** Get a webhook. The API key needs the scope `webhooks:read`. */
  get(webhookUid: string, options?: CallOptions): Promise<Webhook>;
  /** Change, pause or resume a webhook. The API key needs the scope `webhooks:write`. */
  change(webhookUid: string, body: ChangeWebhookBody, options?: CallOptions): Promise<Webhook>;
  /** Delete a webhook. The call cancels the open deliveries of the webhook. The API key needs the scope `webhooks:write`. */
  delete(webhookUid: string, options?: CallOptions): Promise<void>;
  /** Rotate the secret of a webhook. The old secret keeps signing during an overlap. The API key needs the scope `webhooks:write`. */
  rotateSecret(
    webhookUid: string,
    body?: RotateWebhookSecretBody,
    options?: IdempotentCallOptions,
  ): Promise<WebhookWithSecret>;
  /** Promote the new secret of a webhook. The new secret then signs `X-Webhook-Signature`. The API key needs the scope `webhooks:write`. */
  promoteSecret(webhookUid: string, options?: CallOptions): Promise<Webhook>;
  /** Get the public keys of webhook signatures. The response is a JWK set (RFC 7517) of Ed25519 keys (RFC 8037). A new key is published an hour before it signs. */
  publicKeys(options?: CallOptions): Promise<JwkSet>;
  /** Send a test event to a webhook. The API key needs the scope `webhooks:write`. */
  test(webhookUid: string, body?: TestWebhookBody, options?: CallOptions): Promise<TestedWebhook>;
  /** Send the lost and waiting deliveries of a webhook. The call starts a replay of the lost deliveries since a time. `states` selects other deliveries, such as `retrying` ones. The API key needs the scope `events:write`. */
  recover(
    webhookUid: string,
    body: RecoverWebhookBody,
    options?: IdempotentCallOptions,
  ): Promise<ReplayDryRun | StartedReplay>;
  /** Send the present state to a webhook. The sync sends each existing agent, context and context file once, as its `updated` event with the number of its latest change. Of a resource that is only reported, it sends the latest event that is kept. The settings of the webhook apply. The API key needs the scope `events:write`. */
  sync(
    webhookUid: string,
    body: SyncWebhookBody,
    options?: IdempotentCallOptions,
  ): Promise<SyncDryRun | StartedSync>;
  /** List the deliveries of a webhook. The list is ordered from newest to oldest. Deliveries of events of the last minute that are not recorded yet have the state `pending` and no attempts. They are left out if a filter by class or another state is set. The API key needs the scope `events:read`. */
  deliveries(
    webhookUid: string,
    query?: {
      state?: DeliveryState;
      statusClass?: StatusClass;
      errorClass?: ErrorClass;
      event?: EventName;
      externalTenantId?: string;
      since?: string;
      until?: string;
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<Delivery>;
}

export interface WebhookReplaysCalls {
  /** Replay the events of a period to a webhook. By default, the replay sends only failed deliveries again. The API key needs the scope `events:write`. */
  create(
    webhookUid: string,
    body: CreateWebhookReplayBody,
    options?: IdempotentCallOptions,
  ): Promise<ReplayDryRun | StartedReplay>;
  /** List replays. The list is ordered from newest to oldest. The API key needs the scope `events:read`. */
  list(
    webhookUid: string,
    query?: {
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<Replay>;
  /** Get a replay and its progress. The API key needs the scope `events:read`. */
  get(webhookUid: string, replayUid: string, options?: CallOptions): Promise<ReplayDetail>;
  /** Cancel a replay. The API key needs the scope `events:write`. */
  cancel(webhookUid: string, replayUid: string, options?: CallOptions): Promise<Replay>;
}

export interface AgentsCalls {
  /** Create an agent. Event: `agent.created`. The API key needs the scope `resources:write`. */
  create(body: CreateAgentBody, options?: IdempotentCallOptions): Promise<Agent>;
  /** List agents. The list is ordered from newest to oldest. The API key needs the scope `resources:read`. */
  list(
    query?: {
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<Agent>;
  /** Get an agent. The API key needs the scope `resources:read`. */
  get(agentUid: string, options?: CallOptions): Promise<Agent>;
  /** Change an agent. Event: `agent.updated`. There is no event if nothing changes. The API key needs the scope `resources:write`. */
  change(agentUid: string, body: ChangeAgentBody, options?: CallOptions): Promise<Agent>;
  /** Delete an agent. Event: `agent.deleted`. The API key needs the scope `resources:write`. */
  delete(agentUid: string, options?: CallOptions): Promise<void>;
}

export interface ContextsCalls {
  /** Create a context. Event: `context.created`. The API key needs the scope `resources:write`. */
  create(body: CreateContextBody, options?: IdempotentCallOptions): Promise<Context>;
  /** List contexts. The list is ordered from newest to oldest. The API key needs the scope `resources:read`. */
  list(
    query?: {
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<Context>;
  /** Get a context. The API key needs the scope `resources:read`. */
  get(contextUid: string, options?: CallOptions): Promise<Context>;
  /** Change a context. Event: `context.updated`. There is no event if nothing changes. The API key needs the scope `resources:write`. */
  change(contextUid: string, body: ChangeContextBody, options?: CallOptions): Promise<Context>;
  /** Delete a context and its files. Events: `contextfile.deleted` for each file, then `context.deleted`. The API key needs the scope `resources:write`. */
  delete(contextUid: string, options?: CallOptions): Promise<void>;
}

export interface ContextFilesCalls {
  /** Create a file of a context. Event: `contextfile.created`. The API key needs the scope `resources:write`. */
  create(
    contextUid: string,
    body: CreateContextFileBody,
    options?: IdempotentCallOptions,
  ): Promise<ContextFile>;
  /** List the files of a context. The list is ordered from newest to oldest. The API key needs the scope `resources:read`. */
  list(
    contextUid: string,
    query?: {
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<ContextFile>;
  /** Get a file of a context. The API key needs the scope `resources:read`. */
  get(contextUid: string, fileUid: string, options?: CallOptions): Promise<ContextFile>;
  /** Change a file of a context. Event: `contextfile.updated`. There is no event if nothing changes. The API key needs the scope `resources:write`. */
  change(
    contextUid: string,
    fileUid: string,
    body: ChangeContextFileBody,
    options?: CallOptions,
  ): Promise<ContextFile>;
  /** Delete a file of a context. Event: `contextfile.deleted`. The API key needs the scope `resources:write`. */
  delete(contextUid: string, fileUid: string, options?: CallOptions): Promise<void>;
}

export interface ChangesCalls {
  /** Report a change. The changed resource is stored on your platform, not in this service. The API key needs the scope `resources:write`. */
  report(body: ReportChangeBody, options?: IdempotentCallOptions): Promise<ReportedChange>;
}

export interface EventsCalls {
  /** List events. The list does not contain payloads. It is ordered from newest to oldest. The API key needs the scope `events:read`. */
  list(
    query?: {
      event?: SubscribedEventName;
      entity?: Entity;
      resourceUid?: string;
      externalTenantId?: string;
      since?: string;
      until?: string;
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<Event>;
  /** Get an event and its payload. The API key needs the scope `events:read`. */
  get(eventId: string, options?: CallOptions): Promise<EventWithPayload>;
  /** List the deliveries of an event. The API key needs the scope `events:read`. */
  deliveries(
    eventId: string,
    query?: {
      state?: DeliveryState;
      statusClass?: StatusClass;
      errorClass?: ErrorClass;
      webhookUid?: string;
      since?: string;
      until?: string;
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<Delivery>;
  /** Explain which webhooks get an event. The list has all webhooks of the application, from oldest to newest, with the reason by their present settings. The API key needs the scope `webhooks:read`. */
  webhooks(eventId: string, options?: CallOptions): Pages<ExplainedWebhook>;
  /** Resend an event. The event is sent immediately. The API key needs the scope `events:write`. */
  resend(eventId: string, body?: ResendEventBody, options?: IdempotentCallOptions): Promise<Resent>;
  /** Stream events. The stream sends each event after its commit, as server-sent events. The data of a message is the event with its payload. Messages of the types `opened` and `closed` mark the beginning and the end. To continue after an interruption, send the last ID as `Last-Event-ID`. The API key needs the scope `events:read`. */
  stream(
    query?: {
      event?: SubscribedEventName;
      entity?: Entity;
      resourceUid?: string;
      externalTenantId?: string;
      since?: string;
    },
    options?: StreamOptions,
  ): EventStream;
}

export interface EventTypesCalls {
  /** List event types. Each type has a schema and a sample. The API key needs the scope `webhooks:read`. */
  list(options?: CallOptions): Pages<EventType>;
}

export interface DeliveriesCalls {
  /** List deliveries. The list covers all webhooks. It is ordered from newest to oldest. Deliveries of events of the last minute that are not recorded yet have the state `pending` and no attempts. They are left out if a filter by class or another state is set. The API key needs the scope `events:read`. */
  list(
    query?: {
      state?: DeliveryState;
      statusClass?: StatusClass;
      errorClass?: ErrorClass;
      webhookUid?: string;
      event?: EventName;
      externalTenantId?: string;
      since?: string;
      until?: string;
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<Delivery>;
  /** Get a delivery and its request. The API key needs the scope `events:read`. */
  get(eventId: string, webhookUid: string, options?: CallOptions): Promise<DeliveryDetail>;
  /** Skip a delivery. The delivery is cancelled with the reason `skipped`, and the next one of an ordered resource is sent. A request in flight is not stopped: if the receiver accepts it, the delivery is `delivered`. A repeat changes nothing. The API key needs the scope `events:write`. */
  skip(eventId: string, webhookUid: string, options?: CallOptions): Promise<Delivery>;
}

export interface ReplaysCalls {
  /** Replay the events of a period to several webhooks. By default, the replay sends only failed deliveries again, to all webhooks. The API key needs the scope `events:write`. */
  create(
    body: CreateReplayBody,
    options?: IdempotentCallOptions,
  ): Promise<ReplayDryRun | StartedReplay>;
  /** List replays. The list is ordered from newest to oldest. The API key needs the scope `events:read`. */
  list(
    query?: {
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<Replay>;
  /** Get a replay and its progress. The API key needs the scope `events:read`. */
  get(replayUid: string, options?: CallOptions): Promise<ReplayDetail>;
  /** Cancel a replay. The API key needs the scope `events:write`. */
  cancel(replayUid: string, options?: CallOptions): Promise<Replay>;
}

export interface SyncsCalls {
  /** List syncs. The list is ordered from newest to oldest. The API key needs the scope `events:read`. */
  list(
    query?: {
      webhookUid?: string;
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<Sync>;
  /** Get a sync and its progress. The API key needs the scope `events:read`. */
  get(syncUid: string, options?: CallOptions): Promise<SyncDetail>;
  /** Cancel a sync. Deliveries already queued are still made. The API key needs the scope `events:write`. */
  cancel(syncUid: string, options?: CallOptions): Promise<Sync>;
}

export interface ErasuresCalls {
  /** Erase the payloads of a tenant or a user. The API key needs the scope `events:write`. */
  create(
    body: CreateErasureBody,
    options?: IdempotentCallOptions,
  ): Promise<ErasureDryRun | Erasure>;
  /** List erasures. The list is ordered from newest to oldest. The API key needs the scope `events:read`. */
  list(
    query?: {
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<Erasure>;
  /** Get an erasure and its progress. The API key needs the scope `events:read`. */
  get(erasureUid: string, options?: CallOptions): Promise<Erasure>;
}

export interface StatsCalls {
  /** Get delivery statistics. The statistics count the outcomes of the attempts in a range of time. The API key needs the scope `events:read`. */
  deliveries(
    query?: {
      interval?: Interval;
      since?: string;
      until?: string;
      webhookUid?: string;
    },
    options?: CallOptions,
  ): Promise<DeliveryStatistics>;
  /** List delivery statistics by webhook. The range is at most 31 whole hours or days. With more than 161 webhooks, the maximum is 5,000 divided by their number. The API key needs the scope `events:read`. */
  webhooks(
    query?: {
      interval?: 'hour' | 'day';
      since?: string;
      until?: string;
    },
    options?: CallOptions,
  ): Promise<WebhookStatistics>;
  /** List the latest outcomes by webhook. The API key needs the scope `events:read`. */
  outcomes(
    query?: {
      webhookUids?: string;
    },
    options?: CallOptions,
  ): Promise<LatestOutcomes>;
  /** Count open deliveries and overdue files. You can make this call every 10 seconds. The API key needs the scope `events:read`. */
  backlog(options?: CallOptions): Promise<Backlog>;
  /** List why webhooks fail. The list has the failing and deactivated webhooks that began to fail last, at most 100. The API key needs the scope `events:read`. */
  failures(options?: CallOptions): Promise<WebhookFailures>;
}

export interface SettingsCalls {
  /** Get the settings of the service. Durations are texts such as `30d`. The API key needs the scope `webhooks:read`. */
  get(options?: CallOptions): Promise<Settings>;
}

export interface AuditLogCalls {
  /** List the audit log of an application. The list is ordered from newest to oldest. The API key needs the scope `admin`. */
  list(
    query?: {
      action?: string;
      actorUid?: string;
      targetUid?: string;
      since?: string;
      until?: string;
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<AuditRow>;
}

export interface ServiceCalls {
  /** Check that the process is running. */
  health(options?: CallOptions): Promise<Health>;
  /** Check whether the process is ready for requests. */
  readiness(options?: CallOptions): Promise<Readiness>;
  /** Get the public keys of user tokens. The response is a JWK set (RFC 7517). */
  jwks(options?: CallOptions): Promise<JwkSet>;
  /** Get the addresses of webhook requests. A firewall in front of a receiver can read them here. */
  webhookSources(options?: CallOptions): Promise<WebhookSources>;
}

export interface HeraldCalls {
  readonly users: UsersCalls;
  readonly accounts: AccountsCalls;
  readonly webhooks: WebhooksCalls;
  readonly webhookReplays: WebhookReplaysCalls;
  readonly agents: AgentsCalls;
  readonly contexts: ContextsCalls;
  readonly contextFiles: ContextFilesCalls;
  readonly changes: ChangesCalls;
  readonly events: EventsCalls;
  readonly eventTypes: EventTypesCalls;
  readonly deliveries: DeliveriesCalls;
  readonly replays: ReplaysCalls;
  readonly syncs: SyncsCalls;
  readonly erasures: ErasuresCalls;
  readonly stats: StatsCalls;
  readonly settings: SettingsCalls;
  readonly auditLog: AuditLogCalls;
  readonly service: ServiceCalls;
}

/** The facts that the transport needs about each call. */
export const calls = {
  users: {
    signIn: {
      id: 'signUserIn',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/sdkusers/auth',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
    verifyToken: {
      id: 'verifyToken',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/sdkusers/token/verify',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
    revokeAllTokens: {
      id: 'revokeTokens',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/sdkusers/tokens/revoke',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'none',
    },
    revokeTokens: {
      id: 'revokeUserTokens',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/sdkusers/{userUid}/tokens/revoke',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'none',
    },
    tokens: {
      id: 'listUserTokens',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/sdkusers/{userUid}/tokens',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
    revokeToken: {
      id: 'revokeUserToken',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/sdkusers/{userUid}/tokens/{tokenUid}/revoke',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'none',
    },
    list: {
      id: 'listUsers',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/sdkusers',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
    get: {
      id: 'getUser',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/sdkusers/{userUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
    change: {
      id: 'changeUser',
      method: 'PATCH',
      path: '/api/v1/appuid/{appUid}/sdkusers/{userUid}',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: false,
      faultStatus: null,
      kind: 'object',
    },
    delete: {
      id: 'deleteUser',
      method: 'DELETE',
      path: '/api/v1/appuid/{appUid}/sdkusers/{userUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'none',
    },
  },
  accounts: {
    create: {
      id: 'createAccount',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/accounts',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: true,
      isRepeatable: false,
      faultStatus: null,
      kind: 'object',
    },
    list: {
      id: 'listAccounts',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/accounts',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
    get: {
      id: 'getAccount',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/accounts/{accountUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
    change: {
      id: 'changeAccount',
      method: 'PATCH',
      path: '/api/v1/appuid/{appUid}/accounts/{accountUid}',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: false,
      faultStatus: null,
      kind: 'object',
    },
    delete: {
      id: 'deleteAccount',
      method: 'DELETE',
      path: '/api/v1/appuid/{appUid}/accounts/{accountUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'none',
    },
    members: {
      id: 'listAccountMembers',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/accounts/{accountUid}/members',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
    addMember: {
      id: 'addAccountMember',
      method: 'PUT',
      path: '/api/v1/appuid/{appUid}/accounts/{accountUid}/members/{userUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'none',
    },
    removeMember: {
      id: 'removeAccountMember',
      method: 'DELETE',
      path: '/api/v1/appuid/{appUid}/accounts/{accountUid}/members/{userUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'none',
    },
  },
  webhooks: {
    create: {
      id: 'createWebhook',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/webhooks',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: true,
      isRepeatable: false,
      faultStatus: null,
      kind: 'object',
    },
    checkUrl: {
      id: 'checkWebhookUrl',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/webhooks/check-url',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
    list: {
      id: 'listWebhooks',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/webhooks',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
    get: {
      id: 'getWebhook',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/webhooks/{webhookUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
    change: {
      id: 'changeWebhook',
      method: 'PATCH',
      path: '/api/v1/appuid/{appUid}/webhooks/{webhookUid}',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: false,
      faultStatus: null,
      kind: 'object',
    },
    delete: {
      id: 'deleteWebhook',
      method: 'DELETE',
      path: '/api/v1/appuid/{appUid}/webhooks/{webhookUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'none',
    },
    rotateSecret: {
      id: 'rotateWebhookSecret',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/webhooks/{webhookUid}/secret/rotate',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: true,
      isRepeatable: false,
      faultStatus: null,
      kind: 'object',
    },
    promoteSecret: {
      id: 'promoteWebhookSecret',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/webhooks/{webhookUid}/secret/promote',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: false,
      faultStatus: null,
      kind: 'object',
    },
    publicKeys: {
      id: 'getWebhookKeys',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/.well-known/webhook-keys.json',
      input: null,
      needsKey: false,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
    test: {
      id: 'testWebhook',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/webhooks/{webhookUid}/test',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: false,
      faultStatus: null,
      kind: 'object',
    },
    recover: {
      id: 'recoverWebhook',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/webhooks/{webhookUid}/recover',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: true,
      isRepeatable: false,
      faultStatus: null,
      kind: 'object',
    },
    sync: {
      id: 'syncWebhook',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/webhooks/{webhookUid}/sync',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: true,
      isRepeatable: false,
      faultStatus: null,
      kind: 'object',
    },
    deliveries: {
      id: 'listWebhookDeliveries',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/webhooks/{webhookUid}/deliveries',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
  },
  webhookReplays: {
    create: {
      id: 'createWebhookReplay',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/webhooks/{webhookUid}/replays',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: true,
      isRepeatable: false,
      faultStatus: null,
      kind: 'object',
    },
    list: {
      id: 'listWebhookReplays',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/webhooks/{webhookUid}/replays',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
    get: {
      id: 'getWebhookReplay',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/webhooks/{webhookUid}/replays/{replayUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
    cancel: {
      id: 'cancelWebhookReplay',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/webhooks/{webhookUid}/replays/{replayUid}/cancel',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
  },
  agents: {
    create: {
      id: 'createAgent',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/agents',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: true,
      isRepeatable: false,
      faultStatus: null,
      kind: 'object',
    },
    list: {
      id: 'listAgents',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/agents',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
    get: {
      id: 'getAgent',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/agents/{agentUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
    change: {
      id: 'changeAgent',
      method: 'PATCH',
      path: '/api/v1/appuid/{appUid}/agents/{agentUid}',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: false,
      faultStatus: null,
      kind: 'object',
    },
    delete: {
      id: 'deleteAgent',
      method: 'DELETE',
      path: '/api/v1/appuid/{appUid}/agents/{agentUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'none',
    },
  },
  contexts: {
    create: {
      id: 'createContext',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/contexts',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: true,
      isRepeatable: false,
      faultStatus: null,
      kind: 'object',
    },
    list: {
      id: 'listContexts',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/contexts',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
    get: {
      id: 'getContext',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/contexts/{contextUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
    change: {
      id: 'changeContext',
      method: 'PATCH',
      path: '/api/v1/appuid/{appUid}/contexts/{contextUid}',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: false,
      faultStatus: null,
      kind: 'object',
    },
    delete: {
      id: 'deleteContext',
      method: 'DELETE',
      path: '/api/v1/appuid/{appUid}/contexts/{contextUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'none',
    },
  },
  contextFiles: {
    create: {
      id: 'createContextFile',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/contexts/{contextUid}/files',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: true,
      isRepeatable: false,
      faultStatus: null,
      kind: 'object',
    },
    list: {
      id: 'listContextFiles',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/contexts/{contextUid}/files',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
    get: {
      id: 'getContextFile',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/contexts/{contextUid}/files/{fileUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
    change: {
      id: 'changeContextFile',
      method: 'PATCH',
      path: '/api/v1/appuid/{appUid}/contexts/{contextUid}/files/{fileUid}',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: false,
      faultStatus: null,
      kind: 'object',
    },
    delete: {
      id: 'deleteContextFile',
      method: 'DELETE',
      path: '/api/v1/appuid/{appUid}/contexts/{contextUid}/files/{fileUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'none',
    },
  },
  changes: {
    report: {
      id: 'reportChange',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/changes',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: true,
      isRepeatable: false,
      faultStatus: null,
      kind: 'object',
    },
  },
  events: {
    list: {
      id: 'listEvents',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/events',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
    get: {
      id: 'getEvent',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/events/{eventId}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
    deliveries: {
      id: 'listEventDeliveries',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/events/{eventId}/deliveries',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
    webhooks: {
      id: 'explainEvent',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/events/{eventId}/webhooks',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
    resend: {
      id: 'resendEvent',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/events/{eventId}/resend',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: true,
      isRepeatable: false,
      faultStatus: null,
      kind: 'object',
    },
    stream: {
      id: 'streamEvents',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/events/stream',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'stream',
    },
  },
  eventTypes: {
    list: {
      id: 'listEventTypes',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/event-types',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
  },
  deliveries: {
    list: {
      id: 'listDeliveries',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/deliveries',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
    get: {
      id: 'getDelivery',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/events/{eventId}/deliveries/{webhookUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
    skip: {
      id: 'skipDelivery',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/events/{eventId}/deliveries/{webhookUid}/cancel',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: false,
      faultStatus: null,
      kind: 'object',
    },
  },
  replays: {
    create: {
      id: 'createReplay',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/replays',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: true,
      isRepeatable: false,
      faultStatus: null,
      kind: 'object',
    },
    list: {
      id: 'listReplays',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/replays',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
    get: {
      id: 'getReplay',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/replays/{replayUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
    cancel: {
      id: 'cancelReplay',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/replays/{replayUid}/cancel',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
  },
  syncs: {
    list: {
      id: 'listSyncs',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/syncs',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
    get: {
      id: 'getSync',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/syncs/{syncUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
    cancel: {
      id: 'cancelSync',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/syncs/{syncUid}/cancel',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
  },
  erasures: {
    create: {
      id: 'createErasure',
      method: 'POST',
      path: '/api/v1/appuid/{appUid}/erasures',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: true,
      isRepeatable: false,
      faultStatus: null,
      kind: 'object',
    },
    list: {
      id: 'listErasures',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/erasures',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
    get: {
      id: 'getErasure',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/erasures/{erasureUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
  },
  stats: {
    deliveries: {
      id: 'getDeliveryStats',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/stats/deliveries',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
    webhooks: {
      id: 'listWebhookStats',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/stats/webhooks',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
    outcomes: {
      id: 'listLatestOutcomes',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/stats/outcomes',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
    backlog: {
      id: 'getBacklog',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/stats/backlog',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
    failures: {
      id: 'listFailures',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/stats/failures',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
  },
  settings: {
    get: {
      id: 'getSettings',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/settings',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
  },
  auditLog: {
    list: {
      id: 'listAuditLog',
      method: 'GET',
      path: '/api/v1/appuid/{appUid}/audit-log',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
  },
  service: {
    health: {
      id: 'getHealth',
      method: 'GET',
      path: '/healthz',
      input: null,
      needsKey: false,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
    readiness: {
      id: 'getReadiness',
      method: 'GET',
      path: '/readyz',
      input: null,
      needsKey: false,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: 503,
      kind: 'object',
    },
    jwks: {
      id: 'getJwks',
      method: 'GET',
      path: '/.well-known/jwks.json',
      input: null,
      needsKey: false,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
    webhookSources: {
      id: 'getWebhookSources',
      method: 'GET',
      path: '/.well-known/webhook-sources.json',
      input: null,
      needsKey: false,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
    },
  },
} as const;
