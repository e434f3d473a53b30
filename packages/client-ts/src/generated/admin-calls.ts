// Written by `npm run generate` from docs/openapi.json.
import type { CallOptions, IdempotentCallOptions } from '../options.ts';
import type { Pages } from '../pages.ts';
import type {
  UsersCalls,
  AccountsCalls,
  WebhooksCalls,
  WebhookReplaysCalls,
  AgentsCalls,
  ContextsCalls,
  ContextFilesCalls,
  EventsCalls,
  EventTypesCalls,
  DeliveriesCalls,
  ReplaysCalls,
  ErasuresCalls,
  StatsCalls,
  SettingsCalls,
  AuditLogCalls,
} from './calls.ts';
import type {
  AddMemberBody,
  ApiKey,
  App,
  AuditRow,
  ChangeAppBody,
  ChangeMemberBody,
  ChangePasswordBody,
  CreateApiKeyBody,
  CreateAppBody,
  CreatedApiKey,
  FailingWebhook,
  Member,
  OwnSession,
  RollApiKeyBody,
  RolledApiKey,
  Session,
  SignInBody,
  SignInMethods,
} from './models.ts';

export interface AdminApiKeysCalls {
  /** Creates an API key. */
  create(body: CreateApiKeyBody, options?: IdempotentCallOptions): Promise<CreatedApiKey>;
  /** Lists the API keys, newest first. */
  list(
    query?: {
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<ApiKey>;
  /** Shows an API key, without its secret. */
  get(keyUid: string, options?: CallOptions): Promise<ApiKey>;
  /** Replaces an API key after an overlap. */
  roll(
    keyUid: string,
    body?: RollApiKeyBody,
    options?: IdempotentCallOptions,
  ): Promise<RolledApiKey>;
  /** Ends an API key immediately. */
  revoke(keyUid: string, options?: CallOptions): Promise<ApiKey>;
  /** Deletes an API key that is revoked or expired. */
  delete(keyUid: string, options?: CallOptions): Promise<void>;
}

export interface AdminMembersCalls {
  /** Adds an admin to an application. */
  add(body: AddMemberBody, options?: IdempotentCallOptions): Promise<Member>;
  /** Lists the members, the latest first. */
  list(
    query?: {
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<Member>;
  /** Changes the role of a member. */
  change(adminUid: string, body: ChangeMemberBody, options?: CallOptions): Promise<Member>;
  /** Removes an admin from an application. */
  remove(adminUid: string, options?: CallOptions): Promise<void>;
}

export interface AdminSessionCalls {
  /** Shows how admins may sign in. */
  signInMethods(options?: CallOptions): Promise<SignInMethods>;
  /** Signs an admin in with e-mail and password. */
  signIn(body: SignInBody, options?: CallOptions): Promise<Session>;
  /** Shows who is signed in. */
  get(options?: CallOptions): Promise<Session>;
  /** Ends this session. */
  signOut(options?: CallOptions): Promise<void>;
  /** Ends all sessions of the caller. */
  signOutEverywhere(options?: CallOptions): Promise<void>;
  /** Changes the password of the caller, and ends all sessions but a new one. */
  changePassword(body: ChangePasswordBody, options?: CallOptions): Promise<Session>;
}

export interface AdminSessionsCalls {
  /** Lists the sessions of the caller, newest first. */
  list(
    query?: {
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<OwnSession>;
  /** Ends a session of the caller. */
  end(sessionUid: string, options?: CallOptions): Promise<void>;
}

export interface AdminAppsCalls {
  /** Creates an application that the caller owns. */
  create(body: CreateAppBody, options?: IdempotentCallOptions): Promise<App>;
  /** Lists the applications of the caller. */
  list(
    query?: {
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<App>;
  /** Shows an application. */
  get(appUid: string, options?: CallOptions): Promise<App>;
  /** Renames an application, disables or enables it. */
  change(appUid: string, body: ChangeAppBody, options?: CallOptions): Promise<App>;
}

export interface AdminAuditLogCalls {
  /** Lists sign-ins and changes of passwords, newest first. */
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

export interface AdminStatsCalls {
  /** Lists the webhooks that fail, of all applications, those that fail longest first. */
  failingWebhooks(
    query?: {
      limit?: number;
    },
    options?: CallOptions,
  ): Pages<FailingWebhook>;
}

export interface AdminAppCalls {
  readonly users: Omit<UsersCalls, 'signIn' | 'verifyToken'>;
  readonly accounts: AccountsCalls;
  readonly webhooks: WebhooksCalls;
  readonly webhookReplays: WebhookReplaysCalls;
  readonly agents: Omit<AgentsCalls, 'create' | 'change' | 'delete'>;
  readonly contexts: Omit<ContextsCalls, 'create' | 'change' | 'delete'>;
  readonly contextFiles: Omit<ContextFilesCalls, 'create' | 'change' | 'delete'>;
  readonly events: EventsCalls;
  readonly eventTypes: EventTypesCalls;
  readonly deliveries: DeliveriesCalls;
  readonly replays: ReplaysCalls;
  readonly erasures: ErasuresCalls;
  readonly stats: StatsCalls;
  readonly settings: SettingsCalls;
  readonly auditLog: AuditLogCalls;
  readonly apiKeys: AdminApiKeysCalls;
  readonly members: AdminMembersCalls;
}

export interface AdminCalls {
  readonly session: AdminSessionCalls;
  readonly sessions: AdminSessionsCalls;
  readonly apps: AdminAppsCalls;
  readonly auditLog: AdminAuditLogCalls;
  readonly stats: AdminStatsCalls;
}

/** The calls of API keys that admins have not. */
export const keysAlone: readonly string[] = [
  'signUserIn',
  'verifyToken',
  'createAgent',
  'changeAgent',
  'deleteAgent',
  'createContext',
  'changeContext',
  'deleteContext',
  'createContextFile',
  'changeContextFile',
  'deleteContextFile',
  'reportChange',
  'getHealth',
  'getReadiness',
  'getJwks',
];

export const adminAppCalls = {
  apiKeys: {
    create: {
      id: 'adminCreateApiKey',
      method: 'POST',
      path: '/admin/api/apps/{appUid}/keys',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: true,
      isRepeatable: false,
      faultStatus: null,
      kind: 'call',
    },
    list: {
      id: 'adminListApiKeys',
      method: 'GET',
      path: '/admin/api/apps/{appUid}/keys',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
    get: {
      id: 'adminGetApiKey',
      method: 'GET',
      path: '/admin/api/apps/{appUid}/keys/{keyUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'call',
    },
    roll: {
      id: 'adminRollApiKey',
      method: 'POST',
      path: '/admin/api/apps/{appUid}/keys/{keyUid}/roll',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: true,
      isRepeatable: false,
      faultStatus: null,
      kind: 'call',
    },
    revoke: {
      id: 'adminRevokeApiKey',
      method: 'POST',
      path: '/admin/api/apps/{appUid}/keys/{keyUid}/revoke',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'call',
    },
    delete: {
      id: 'adminDeleteApiKey',
      method: 'DELETE',
      path: '/admin/api/apps/{appUid}/keys/{keyUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'call',
    },
  },
  members: {
    add: {
      id: 'adminAddMember',
      method: 'POST',
      path: '/admin/api/apps/{appUid}/members',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: true,
      isRepeatable: false,
      faultStatus: null,
      kind: 'call',
    },
    list: {
      id: 'adminListMembers',
      method: 'GET',
      path: '/admin/api/apps/{appUid}/members',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
    change: {
      id: 'adminChangeMember',
      method: 'PATCH',
      path: '/admin/api/apps/{appUid}/members/{adminUid}',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: false,
      faultStatus: null,
      kind: 'call',
    },
    remove: {
      id: 'adminRemoveMember',
      method: 'DELETE',
      path: '/admin/api/apps/{appUid}/members/{adminUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'call',
    },
  },
} as const;

export const adminCalls = {
  session: {
    signInMethods: {
      id: 'adminGetSignInMethods',
      method: 'GET',
      path: '/admin/api/sign-in-methods',
      input: null,
      needsKey: false,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'call',
    },
    signIn: {
      id: 'adminSignIn',
      method: 'POST',
      path: '/admin/api/session',
      input: 'body',
      needsKey: false,
      takesIdempotencyKey: false,
      isRepeatable: false,
      faultStatus: null,
      kind: 'call',
    },
    get: {
      id: 'adminGetSession',
      method: 'GET',
      path: '/admin/api/session',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'call',
    },
    signOut: {
      id: 'adminSignOut',
      method: 'DELETE',
      path: '/admin/api/session',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'call',
    },
    signOutEverywhere: {
      id: 'adminSignOutEverywhere',
      method: 'DELETE',
      path: '/admin/api/sessions',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'call',
    },
    changePassword: {
      id: 'adminChangePassword',
      method: 'POST',
      path: '/admin/api/password',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: false,
      faultStatus: null,
      kind: 'call',
    },
  },
  sessions: {
    list: {
      id: 'adminListSessions',
      method: 'GET',
      path: '/admin/api/sessions',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
    end: {
      id: 'adminEndSession',
      method: 'DELETE',
      path: '/admin/api/sessions/{sessionUid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'call',
    },
  },
  apps: {
    create: {
      id: 'adminCreateApp',
      method: 'POST',
      path: '/admin/api/apps',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: true,
      isRepeatable: false,
      faultStatus: null,
      kind: 'call',
    },
    list: {
      id: 'adminListApps',
      method: 'GET',
      path: '/admin/api/apps',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
    get: {
      id: 'adminGetApp',
      method: 'GET',
      path: '/admin/api/apps/{uid}',
      input: null,
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'call',
    },
    change: {
      id: 'adminChangeApp',
      method: 'PATCH',
      path: '/admin/api/apps/{uid}',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: false,
      faultStatus: null,
      kind: 'call',
    },
  },
  auditLog: {
    list: {
      id: 'adminListInstallationAuditLog',
      method: 'GET',
      path: '/admin/api/audit-log',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
  },
  stats: {
    failingWebhooks: {
      id: 'adminListFailingWebhooks',
      method: 'GET',
      path: '/admin/api/stats/failing-webhooks',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
    },
  },
} as const;
