// The method names of the TypeScript client. A call without a name is rejected.

/** The methods of each group by name, with the operation ID of the contract. */
export const methodNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  users: {
    signIn: 'signUserIn',
    verifyToken: 'verifyToken',
    revokeAllTokens: 'revokeTokens',
    revokeTokens: 'revokeUserTokens',
    tokens: 'listUserTokens',
    revokeToken: 'revokeUserToken',
    list: 'listUsers',
    get: 'getUser',
    change: 'changeUser',
    delete: 'deleteUser',
  },
  accounts: {
    ...usualMethods('Account', ['create', 'list', 'get', 'change', 'delete']),
    members: 'listAccountMembers',
    addMember: 'addAccountMember',
    removeMember: 'removeAccountMember',
  },
  webhooks: {
    create: 'createWebhook',
    checkUrl: 'checkWebhookUrl',
    list: 'listWebhooks',
    get: 'getWebhook',
    change: 'changeWebhook',
    delete: 'deleteWebhook',
    rotateSecret: 'rotateWebhookSecret',
    promoteSecret: 'promoteWebhookSecret',
    publicKeys: 'getWebhookKeys',
    test: 'testWebhook',
    recover: 'recoverWebhook',
    sync: 'syncWebhook',
    deliveries: 'listWebhookDeliveries',
  },
  webhookReplays: usualMethods('WebhookReplay', ['create', 'list', 'get', 'cancel']),
  agents: usualMethods('Agent', ['create', 'list', 'get', 'change', 'delete']),
  contexts: usualMethods('Context', ['create', 'list', 'get', 'change', 'delete']),
  contextFiles: usualMethods('ContextFile', ['create', 'list', 'get', 'change', 'delete']),
  changes: { report: 'reportChange' },
  events: {
    list: 'listEvents',
    get: 'getEvent',
    deliveries: 'listEventDeliveries',
    webhooks: 'explainEvent',
    resend: 'resendEvent',
    stream: 'streamEvents',
  },
  eventTypes: { list: 'listEventTypes' },
  deliveries: { list: 'listDeliveries', get: 'getDelivery', skip: 'skipDelivery' },
  replays: usualMethods('Replay', ['create', 'list', 'get', 'cancel']),
  syncs: usualMethods('Sync', ['list', 'get', 'cancel']),
  erasures: usualMethods('Erasure', ['create', 'list', 'get']),
  stats: {
    deliveries: 'getDeliveryStats',
    webhooks: 'listWebhookStats',
    outcomes: 'listLatestOutcomes',
    backlog: 'getBacklog',
    failures: 'listFailures',
  },
  settings: { get: 'getSettings' },
  auditLog: { list: 'listAuditLog' },
  service: {
    health: 'getHealth',
    readiness: 'getReadiness',
    jwks: 'getJwks',
    webhookSources: 'getWebhookSources',
  },
};

/** The methods of the admin area that API keys do not have: first those of an application, then the others. */
export const adminMethodNames = {
  app: {
    apiKeys: {
      create: 'adminCreateApiKey',
      list: 'adminListApiKeys',
      get: 'adminGetApiKey',
      roll: 'adminRollApiKey',
      revoke: 'adminRevokeApiKey',
      delete: 'adminDeleteApiKey',
    },
    members: {
      add: 'adminAddMember',
      list: 'adminListMembers',
      change: 'adminChangeMember',
      remove: 'adminRemoveMember',
    },
    tenants: { list: 'adminListTenants' },
  },
  area: {
    session: {
      signInMethods: 'adminGetSignInMethods',
      signIn: 'adminSignIn',
      get: 'adminGetSession',
      signOut: 'adminSignOut',
      signOutEverywhere: 'adminSignOutEverywhere',
      changePassword: 'adminChangePassword',
    },
    sessions: { list: 'adminListSessions', end: 'adminEndSession' },
    apps: {
      create: 'adminCreateApp',
      list: 'adminListApps',
      get: 'adminGetApp',
      change: 'adminChangeApp',
    },
    auditLog: { list: 'adminListInstallationAuditLog' },
    stats: { failingWebhooks: 'adminListFailingWebhooks' },
  },
} as const;

/** Documents, a retired sign-in, an alias, and pages that only a browser opens. */
export const withoutMethod: ReadonlySet<string> = new Set([
  'adminBeginOidc',
  'adminFinishOidc',
  'changeWebhookByUid',
  'legacyAuth',
  'getDocument',
  'getLlmsText',
  'getMigrationPage',
  'getOpenapi',
  'getOpenidConfiguration',
  'getReference',
  'getReferenceScript',
]);

/** With this status, the response is a result that reports a fault, not a problem. */
export const faultStatuses: Readonly<Record<string, number>> = { getReadiness: 503 };

/** POSTs without an idempotency key that are safe to repeat. */
export const repeatablePosts: ReadonlySet<string> = new Set([
  'checkWebhookUrl',
  'signUserIn',
  'verifyToken',
  'revokeTokens',
  'revokeUserTokens',
  'revokeUserToken',
  'cancelReplay',
  'cancelWebhookReplay',
  'cancelSync',
  'adminRevokeApiKey',
]);

/** Returns methods by name, such as `get: 'getAgent'` and `list: 'listAgents'`. */
function usualMethods(resource: string, names: readonly string[]): Record<string, string> {
  const idOf = (name: string) => `${name}${resource}${name === 'list' ? 's' : ''}`;
  return Object.fromEntries(names.map((name) => [name, idOf(name)]));
}
