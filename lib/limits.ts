// The limits of the service, each with its unit in its name.

/** What is the same everywhere, whatever the settings (docs/limits.md). */
export const limits = {
  requestBytesMax: 256 * 1024,
  /** Of bodies with credentials, which some may send who have shown none yet. */
  credentialBytesMax: 64 * 1024,
  payloadBytesMax: 256 * 1024,
  /** What `HERALD_WEBHOOKS_PER_APP` may ask for. */
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
  /** Of the items of a page as they are stored: what is read and written in one go holds up all others. */
  pageBytesMax: 2 * 1024 * 1024,
  externalIdCharactersMax: 256,
  emailCharactersMax: 254,
  nameCharactersMax: 200,
  tenantCharactersMax: 200,
  filterCharactersMax: 64,
  descriptionCharactersMax: 4_000,
  accountUidsMax: 100,
  /** Also bounds a token, which names them all: 100 uids are some 4.5 KB of it. */
  accountsPerUserMax: 100,
  userTokenLifetimeMaxMs: 60 * 60 * 1_000,
  authTokenCharactersMax: 8 * 1_024,
} as const;

/** How long a stop may take before what is left is cut off. */
export const stopTimeoutMs = 10_000;
