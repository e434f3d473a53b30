// The limits that no setting changes (docs/limits.md).
export const limits = {
  requestBytesMax: 256 * 1024,
  /** Of bodies with credentials, which strangers may send. */
  credentialBytesMax: 64 * 1024,
  payloadBytesMax: 256 * 1024,
  webhooksPerAppCeiling: 1_000,
  apiKeysPerAppMax: 50,
  apiKeysKeptPerAppMax: 1_000,
  membersPerAppMax: 100,
  tenantsPerWebhookMax: 100,
  replayedPerSecondMax: 100,
  mentionsPerErasureMax: 10,
  filesPerContextMax: 1_000,
  attemptsKeptMax: 20,
  attemptTimeoutMs: 5_000,
  pageSizeDefault: 50,
  pageSizeMax: 200,
  /** Of stored items: what is read and written in one go blocks the others. */
  pageBytesMax: 2 * 1024 * 1024,
  externalIdCharactersMax: 256,
  emailCharactersMax: 254,
  nameCharactersMax: 200,
  tenantCharactersMax: 200,
  filterCharactersMax: 64,
  descriptionCharactersMax: 4_000,
  accountUidsMax: 100,
  /** Also bounds a token: 100 uids are some 4.5 KB of it. */
  accountsPerUserMax: 100,
  userTokenLifetimeMaxMs: 60 * 60 * 1_000,
  authTokenCharactersMax: 8 * 1_024,
} as const;

export const stopTimeoutMs = 10_000;
