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
  SyncsCalls,
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
  RevokeApiKeyBody,
  RollApiKeyBody,
  RolledApiKey,
  Session,
  SignInBody,
  SignInMethods,
  Tenant,
} from './models.ts';

export interface AdminApiKeysCalls {
  /** Create an API key. The admin needs at least the role `admin` in the application. */
  create(body: CreateApiKeyBody, options?: IdempotentCallOptions): Promise<CreatedApiKey>;
  /** List API keys. The list is ordered from newest to oldest, or with `keyIdPrefix` by `keyId`. The admin needs at least the role `viewer` in the application. */
  list(
    query?: {
      keyIdPrefix?: string;
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<ApiKey>;
  /** Get an API key. The response does not contain the secret. The admin needs at least the role `viewer` in the application. */
  get(keyUid: string, options?: CallOptions): Promise<ApiKey>;
  /** Roll an API key. The call creates a successor. The old key keeps working during an overlap. The admin needs at least the role `admin` in the application. */
  roll(
    keyUid: string,
    body?: RollApiKeyBody,
    options?: IdempotentCallOptions,
  ): Promise<RolledApiKey>;
  /** Revoke an API key. The key stops working immediately. The admin needs at least the role `admin` in the application. */
  revoke(keyUid: string, body: RevokeApiKeyBody, options?: CallOptions): Promise<ApiKey>;
  /** Delete an API key. Only a revoked or expired key can be deleted, and with revoked tokens only an hour later. The admin needs at least the role `admin` in the application. */
  delete(keyUid: string, options?: CallOptions): Promise<void>;
}

export interface AdminMembersCalls {
  /** Add an admin to an application. The admin needs at least the role `owner` in the application. */
  add(body: AddMemberBody, options?: IdempotentCallOptions): Promise<Member>;
  /** List the members of an application. The list is ordered from the latest member to the earliest. The admin needs at least the role `viewer` in the application. */
  list(
    query?: {
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<Member>;
  /** Change the role of a member. The admin needs at least the role `owner` in the application. */
  change(adminUid: string, body: ChangeMemberBody, options?: CallOptions): Promise<Member>;
  /** Remove an admin from an application. The admin needs at least the role `owner` in the application. */
  remove(adminUid: string, options?: CallOptions): Promise<void>;
}

export interface AdminTenantsCalls {
  /** List tenants. The list has the first 20 tenants that have stored events, in the order of code points. The admin needs at least the role `viewer` in the application. */
  list(
    query?: {
      prefix?: string;
    },
    options?: CallOptions,
  ): Pages<Tenant>;
}

export interface AdminSessionCalls {
  /** Get the sign-in methods. */
  signInMethods(options?: CallOptions): Promise<SignInMethods>;
  /** Sign in with email and password. */
  signIn(body: SignInBody, options?: CallOptions): Promise<Session>;
  /** Get the current session. Every signed-in admin can make this call. */
  get(options?: CallOptions): Promise<Session>;
  /** Sign out. Every signed-in admin can make this call. */
  signOut(options?: CallOptions): Promise<void>;
  /** Sign out of all sessions. Every signed-in admin can make this call. */
  signOutEverywhere(options?: CallOptions): Promise<void>;
  /** Change the password. The call ends all sessions of the caller and opens a new one. Every signed-in admin can make this call. */
  changePassword(body: ChangePasswordBody, options?: CallOptions): Promise<Session>;
}

export interface AdminSessionsCalls {
  /** List the sessions of the caller. The list is ordered from newest to oldest. Every signed-in admin can make this call. */
  list(
    query?: {
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<OwnSession>;
  /** End a session. Every signed-in admin can make this call. */
  end(sessionUid: string, options?: CallOptions): Promise<void>;
}

export interface AdminAppsCalls {
  /** Create an application. The caller becomes its owner. Only superusers can make this call. */
  create(body: CreateAppBody, options?: IdempotentCallOptions): Promise<App>;
  /** List applications. The list has the applications in which the caller has a role. Every signed-in admin can make this call. */
  list(
    query?: {
      limit?: number;
      cursor?: string;
    },
    options?: CallOptions,
  ): Pages<App>;
  /** Get an application. The admin needs at least the role `viewer` in the application. */
  get(appUid: string, options?: CallOptions): Promise<App>;
  /** Change an application. The call changes the name, the origins or `webhookChallenge`, or disables or enables the application. The admin needs at least the role `owner` in the application. */
  change(appUid: string, body: ChangeAppBody, options?: CallOptions): Promise<App>;
}

export interface AdminAuditLogCalls {
  /** List the audit log of the installation. The log records sign-ins and password changes. The list is ordered from newest to oldest. Only superusers can make this call. */
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
  /** List failing webhooks. The list covers all applications. The webhooks that have failed longest come first. Only superusers can make this call. */
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
  readonly webhooks: Omit<WebhooksCalls, 'publicKeys'>;
  readonly webhookReplays: WebhookReplaysCalls;
  readonly agents: Omit<AgentsCalls, 'create' | 'change' | 'delete'>;
  readonly contexts: Omit<ContextsCalls, 'create' | 'change' | 'delete'>;
  readonly contextFiles: Omit<ContextFilesCalls, 'create' | 'change' | 'delete'>;
  readonly events: EventsCalls;
  readonly eventTypes: EventTypesCalls;
  readonly deliveries: DeliveriesCalls;
  readonly replays: ReplaysCalls;
  readonly syncs: SyncsCalls;
  readonly erasures: ErasuresCalls;
  readonly stats: StatsCalls;
  readonly settings: SettingsCalls;
  readonly auditLog: AuditLogCalls;
  readonly apiKeys: AdminApiKeysCalls;
  readonly members: AdminMembersCalls;
  readonly tenants: AdminTenantsCalls;
}

export interface AdminCalls {
  readonly session: AdminSessionCalls;
  readonly sessions: AdminSessionsCalls;
  readonly apps: AdminAppsCalls;
  readonly auditLog: AdminAuditLogCalls;
  readonly stats: AdminStatsCalls;
}

/** The calls that are available to API keys only, not to admins. */
export const keysAlone: readonly string[] = [
  'signUserIn',
  'verifyToken',
  'getWebhookKeys',
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
  'getWebhookSources',
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
      kind: 'object',
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
      kind: 'object',
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
      kind: 'object',
    },
    revoke: {
      id: 'adminRevokeApiKey',
      method: 'POST',
      path: '/admin/api/apps/{appUid}/keys/{keyUid}/revoke',
      input: 'body',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'object',
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
      kind: 'none',
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
      kind: 'object',
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
      kind: 'object',
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
      kind: 'none',
    },
  },
  tenants: {
    list: {
      id: 'adminListTenants',
      method: 'GET',
      path: '/admin/api/apps/{appUid}/tenants',
      input: 'query',
      needsKey: true,
      takesIdempotencyKey: false,
      isRepeatable: true,
      faultStatus: null,
      kind: 'list',
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
      kind: 'object',
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
      kind: 'object',
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
      kind: 'object',
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
      kind: 'none',
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
      kind: 'none',
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
      kind: 'object',
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
      kind: 'none',
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
      kind: 'object',
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
      kind: 'object',
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
      kind: 'object',
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
