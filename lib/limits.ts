// Limits that no setting changes. `npm run generate` writes docs/limits.md from them.

type Rows = Readonly<Record<string, readonly [value: number, bounds: string]>>;

/** The title of a group, and a description of each limit. */
export const described = Symbol('described');

type Group<R extends Rows> = { readonly [Name in keyof R]: R[Name][0] } & {
  readonly [described]: { title: string; rows: Rows };
};

function group<const R extends Rows>(title: string, rows: R): Group<R> {
  const entries = Object.entries(rows).map(([name, [value]]) => [name, value]);
  return { ...Object.fromEntries(entries), [described]: { title, rows } } as Group<R>;
}

export const limits = group('Contract', {
  requestBytesMax: [256 * 1024, 'Body of a request'],
  credentialBytesMax: [64 * 1024, 'Body of a request with credentials'],
  payloadBytesMax: [256 * 1024, 'Payload of an event'],
  webhooksPerAppCeiling: [1_000, 'Webhooks of an application, with `HERALD_WEBHOOKS_PER_APP`'],
  apiKeysPerAppMax: [50, 'Active API keys of an application; for rolling, twice'],
  apiKeysKeptPerAppMax: [1_000, 'API keys of an application, with ended ones; for rolling, twice'],
  membersPerAppMax: [100, 'Members of an application'],
  tenantsPerWebhookMax: [100, 'Tenants that a webhook selects'],
  headersPerWebhookMax: [20, '`headers` of a webhook'],
  webhookHeaderBytesMax: [4 * 1024, 'Names and values of the `headers` of a webhook'],
  usernameCharactersMax: [200, '`username` in `auth`'],
  receiverPasswordCharactersMax: [500, '`password` in `auth`'],
  bearerTokenCharactersMax: [4_096, '`token` in `auth`'],
  clientCertificateCharactersMax: [12 * 1024, 'Client certificate with its chain'],
  clientCertificatesMax: [5, 'Certificates in a chain'],
  clientKeyCharactersMax: [6 * 1024, 'Private key of a client certificate'],
  metadataKeysMax: [20, '`metadata` of a webhook'],
  metadataKeyCharactersMax: [40, 'Key of `metadata`'],
  metadataValueCharactersMax: [200, 'Value of `metadata`'],
  ratePerSecondMax: [100, '`ratePerSecond`, `ratePerSecondPerTenant` of a webhook'],
  filterPathsMax: [10, 'Fields in a `filter`'],
  filterValuesMax: [50, 'Values in a `filter`'],
  filterPathDepthMax: [5, 'Names in a path of a `filter`'],
  filterTextCharactersMax: [256, 'Path, and text value, in a `filter`'],
  replayedPerSecondMax: [100, 'Deliveries of a replay or sync per second, with `perSecond`'],
  mentionsPerErasureMax: [10, '`mentions` of an erasure'],
  filesPerContextMax: [1_000, 'Files of a context'],
  overdueFilesReportedMax: [50, 'Overdue files of an application that are reported per hour'],
  // A whole schedule, so that the statistics can count every attempt of it.
  attemptsKeptMax: [20 + 1, 'Latest attempts kept in a delivery'],
  attemptTimeoutMs: [5_000, 'Attempt, from DNS to the last byte'],
  retryStepsMax: [20, 'Waits of a retry schedule'],
  retryWaitMsMin: [1_000, 'Minimum wait in a retry schedule'],
  retryScheduleMsMax: [7 * 24 * 60 * 60 * 1_000, 'All waits of a retry schedule together'],
  pageSizeDefault: [50, 'Items of a page, by default'],
  pageSizeMax: [200, 'Items of a page, with `limit`'],
  pageBytesMax: [2 * 1024 * 1024, 'Items of a page, as stored; one item may be longer'],
  inFlightMsMax: [60_000, 'Age of the events whose unrecorded deliveries a list shows'],
  inFlightEventsMax: [500, 'Events that a list of deliveries checks for them, the latest'],
  inFlightPairsMax: [2_000, 'Deliveries of these events that it checks, at least one event'],
  externalIdCharactersMax: [256, '`externalId` of a user; text of `mentions`'],
  emailCharactersMax: [254, 'Email address'],
  nameCharactersMax: [200, 'Name; uid of a reported resource'],
  tenantCharactersMax: [200, '`externalTenantId`'],
  tenantsFoundMax: [20, 'Tenants found by their beginning'],
  filterCharactersMax: [64, 'Other uid, or action, in a filter of a list'],
  descriptionCharactersMax: [4_000, 'Description'],
  accountUidsMax: [100, 'Accounts in the body of a request'],
  // Also bounds the size of a token: 100 uids take about 4.5 KB.
  accountsPerUserMax: [100, 'Accounts of a user'],
  // Also bounds the size of a token: at most 1.5 KB of it.
  originsPerAppMax: [20, '`origins` of an application'],
  originCharactersMax: [100, 'Origin of an application'],
  originsBytesMax: [1_024, '`origins` of an application together'],
  userTokenLifetimeMinMs: [60 * 1_000, "Minimum lifetime of a user's token"],
  userTokenLifetimeMaxMs: [
    60 * 60 * 1_000,
    "Lifetime of a user's token, with a setting or `expiresInSeconds`",
  ],
  sessionIdleMs: [60 * 60 * 1_000, "Admin's session without a request"],
  sessionLifetimeMs: [12 * 60 * 60 * 1_000, "Admin's session"],
  userAgentCharactersMax: [256, "`User-Agent` kept with an admin's session"],
  authTokenCharactersMax: [8 * 1_024, 'Token to verify'],
});

export const httpLimits = group('HTTP', {
  headerBytesMax: [16 * 1024, 'Headers of a request'],
  headersTimeoutMs: [10_000, "Arrival of a request's headers"],
  requestTimeoutMs: [15_000, 'Arrival of a whole request'],
  keepAliveTimeoutMs: [65_000, 'Connection between requests'],
  idleTimeoutMs: [30_000, 'Connection without traffic during a request'],
  waitingPerPermitMax: [4, 'Requests that wait for each permit (`HERALD_REQUESTS_AT_ONCE`)'],
  // Half of the usual timeout of a caller.
  permitWaitMsMax: [15_000, 'Wait of a request for a permit'],
  // Longer than a read of MongoDB may take.
  authenticationTimeoutMs: [6_000, 'Authentication of a caller'],
  // Longer than a transaction is retried, and than MongoDB usually takes to change its primary.
  responseTimeoutMs: [12_000, 'Response, including waits'],
  handlingMsMin: [6_000, 'Minimum time of a request after its waits'],
  bodyBytesMax: [
    256 * 1024 * 1024,
    'All bodies in a process; three quarters for one application, and three quarters of that for one key',
  ],
  strangersBodyBytesMax: [
    16 * 1024 * 1024,
    'Bodies of all callers without a credential in a process; three quarters for one address (IPv6: a /48)',
  ],
  bodyBytesUncounted: [4 * 1024, 'Body that counts towards neither'],
  bodyBytesInTurn: [16 * 1024, 'Body from which on applications are parsed in turn'],
  jsonDepthMax: [32, 'Depth of JSON'],
  jsonArrayItemsMax: [10_000, 'Items of a JSON array'],
  jsonObjectKeysMax: [2_000, 'Keys of a JSON object'],
  // Each takes up to 200 bytes of memory, for two characters of text.
  jsonNestedMax: [20_000, 'Arrays and objects in a JSON body'],
  // A sign-in takes two: to the identity provider and back.
  oidcVisitsPerMinute: [60, 'Visits of an address to the identity provider'],
});

export const dispatchLimits = group('Dispatch', {
  concurrentOwnStartsMax: [
    16,
    'Concurrent workflow starts of a process, if each event has its own',
  ],
  ownWorkflowBelow: [10, 'Waiting events from which on events share workflows'],
  eventsWaitingMax: [
    5_000,
    'Events of a process that wait for a start, three quarters for one application; the relay takes others',
  ],
  // 60 of our IDs fit in the 2 KB of a search attribute.
  idsPerSearchAttributeMax: [60, 'Events of a workflow; IDs in a search attribute'],
  // Each may need an activity for its retries; Temporal advises at most 500 concurrent ones.
  deliveriesPerWorkflowMax: [500, 'Deliveries of a shared workflow'],
  workflowTaskTimeoutMs: [4_000, 'Workflow task, before another process gets it'],
  relayEveryMs: [1_000, 'Pause of the relay between sweeps'],
  relayBackoffMsMax: [30_000, 'Pause of the relay while MongoDB or Temporal is unavailable'],
  relayedPerSweepMax: [500, 'Events, jobs and partitions of a sweep, each'],
});

export const attemptLimits = group('Attempts and order', {
  firstActivitiesMax: [50, 'Activities `attemptFirst` of a workflow'],
  concurrentActivitiesMax: [200, 'Concurrent retries of a process; concurrent steps of orders'],
  deliveriesShownMax: [
    20,
    'Deliveries of a workflow that shows every one, not only failed and retried ones',
  ],
  attemptsShownMax: [60, 'Attempts in the result of a workflow'],
  // A workflow task waits for its first attempts, which an unresponsive receiver delays by 5 s.
  concurrentWorkflowTasksMax: [400, 'Concurrent workflow tasks of a process'],
  concurrentWorkflowTasksMin: [50, 'The same while the processors are busy (ADR 45)'],
  // A call takes at most 15 s, including the waits for a slot and a permit; one that timed out would send twice.
  callTimeoutMs: [30_000, 'Call of `attemptFirst` or `retryDelivery`'],
  // Longer than any schedule: 7 days, plus each `Retry-After`, which at most doubles a wait or makes it 1 h, 20 times.
  retriesTimeoutMs: [15 * 24 * 60 * 60 * 1_000, 'All calls of one `retryDelivery`'],
  permitsPerWebhookMax: [32, 'Requests of a webhook in flight'],
  // Three webhooks with unresponsive receivers leave room for a fourth (docs/adr/0038).
  permitsPerOriginMax: [
    4 * 32,
    'Requests of an application to an origin in flight, without overdue ones',
  ],
  concurrentMailsMax: [4, 'Mails of a process in flight'],
  permitsInAllMax: [
    256,
    'Requests of a process in flight, without overdue ones; three quarters for one application',
  ],
  firstAttemptClaimMs: [4_000, 'Claim of first attempts by the process that records the event'],
  concurrentFirstAttemptsMax: [
    2_000,
    'First attempts of a process, in flight or waiting; three quarters for one application. Workflows and retries make the others',
  ],
  earlyAttemptBytesMax: [64 * 1024 * 1024, 'Payloads of early first attempts in memory'],
  earlyAttemptOutcomesMax: [10_000, 'Outcomes of early first attempts in memory'],
  permitWaitMsMax: [2_000, 'Wait of an attempt for a permit of its webhook'],
  factsFreshMs: [500, 'Age from which webhook, event and delivery are read again before a request'],
  rateWaitMsMax: [1_000, 'Wait for a rate-limit slot; a slot further past is void'],
  // Half of the slots for retries; the other half is for webhooks without a rate.
  concurrentRateWaitsMax: [
    100,
    'Attempts of a process that wait for a rate-limit slot, three quarters for one application; others are recorded with their slot',
  ],
  overdueAfterMs: [1_000, 'Age from which a request is overdue'],
  // Longer than a step, which starts attempts for 15 s.
  orderStepTimeoutMs: [45_000, 'Call of `attemptInOrder`'],
  // As many as requests of the webhook in flight.
  retryingPartitionsMax: [32, 'Partitions of a webhook that retry; others are parked'],
  resumedPartitionsMax: [
    100,
    'Parked partitions of a webhook that a sweep lets retry after a success',
  ],
  // The time of an attempt with its waits and reads; a request starts only if enough of the lease is left.
  partitionLeaseMs: [15_000, 'Lease of a partition, renewed with each number'],
});

export const jobLimits = group('Jobs', {
  pageEveryMs: [1_000, 'Time between the pages of a release, replay or sync'],
  pageTimeoutMs: [60_000, 'Call of `takeJobPage`'],
  runningPerKindMax: [
    10,
    'Replays, syncs and erasures of an application that run, each; one replay or sync of a webhook',
  ],
  unfinishedPerKindMax: [
    100,
    'Unfinished replays, syncs and erasures of an application, each; erasures requested during a sync',
  ],
  // Each may hold some payloads in memory.
  concurrentPagesMax: [
    20,
    'Concurrent calls of `takeJobPage` of a process, three quarters for one application',
  ],
  releasedPerSecondDefault: [
    20,
    'Deliveries released, or by default replayed or synced, per second',
  ],
  countedDeliveriesMax: [10_000, 'Deliveries that a dry run counts'],
  countedEventsMax: [100_000, 'Events or resources that a dry run checks'],
  countingMsMax: [5_000, 'Duration of a dry run'],
  // Each signal makes Temporal work immediately, whereas the retries would be spread over time.
  signalledPerPageMax: [100, 'Workflows that a page signals about overtaken retries'],
  erasureSecondPassAfterMs: [5 * 60 * 1_000, 'Time between the two passes of an erasure'],
});

export const statisticsLimits = group('Statistics', {
  countEveryMs: [10_000, 'Pause between checks for minutes to count'],
  countBackoffMsMax: [60_000, 'The same pause while MongoDB is unavailable'],
  // Longer than it takes to record an attempt or a cancellation, from the time in the record to its commit.
  countedAfterMs: [60_000, 'Time from the end of a minute to its count'],
  // Clocks differ, and a page of a job writes its start time.
  staleUpdateMsMax: [
    15_000,
    "Time by which a delivery's update may precede the end of its attempt",
  ],
  countLeaseMs: [2 * 60_000, 'Time for a count, before another process begins it'],
  talliedTogetherMax: [20_000, 'Counts of minutes in one read after a pause, at least one minute'],
  countedTogetherMax: [5_000, 'Counts written in one transaction, or one minute'],
  uncountedReadMax: [2_000, 'Uncounted deliveries that a response includes; with more, none'],
  undispatchedReadMax: [200, 'Undispatched events that a response considers'],
  rangeMsMin: [60 * 60 * 1_000, 'Minimum range'],
  minutesRangeMsMax: [25 * 60 * 60 * 1_000, 'Range in minutes'],
  hoursRangeMsMax: [31 * 24 * 60 * 60 * 1_000, 'Range in hours'],
  daysRangeMsMax: [90 * 24 * 60 * 60 * 1_000, 'Range in days'],
  webhookPointsMax: [31, 'Hours or days in a response about all webhooks'],
  outcomesWebhooksMax: [20, 'Webhooks in a response about the latest outcomes'],
  latestOutcomesMax: [20, 'Outcomes of each of them'],
  addedUpMax: [5_000, 'Webhooks times hours or days in that response'],
  failingShownMax: [100, 'Failing webhooks in a response about their failures'],
  changeBeforeMsMax: [
    60 * 60 * 1_000,
    'Time from a change of a webhook to failures it may explain',
  ],
  minutesKeptMs: [2 * 24 * 60 * 60 * 1_000, 'Counts of minutes, kept'],
  hoursKeptMs: [100 * 24 * 60 * 60 * 1_000, 'Counts of hours, kept'],
  daysKeptMs: [400 * 24 * 60 * 60 * 1_000, 'Counts of days, kept'],
});

export const streamLimits = group('Streams of events', {
  streamsMax: [200, 'Streams of a process, three quarters for one application'],
  streamsPerCallerMax: [10, 'Streams of an API key or an admin in a process'],
  keptEventsMax: [10_000, 'Committed events in memory; a reader further behind is closed'],
  keptBytesMax: [32 * 1024 * 1024, 'Payloads of committed events in memory'],
  buffersBytesMax: [64 * 1024, 'Payloads and messages buffered for a stream'],
  // Less than half of the usual idle timeout of connections.
  heartbeatEveryMs: [15_000, 'Time between heartbeats of a stream'],
  callerCheckEveryMs: [2_000, "Time between checks of the readers' rights"],
  endReasonMs: [1_000, 'Time for a reader to take the message `closed`'],
  resumedExactlyMsMax: [
    10 * 60 * 1_000,
    'Time since a disconnection, in which a reader resumes in the order of commits',
  ],
  resumingMsMax: [10_000, 'Time between two events while resuming; then stored events are read'],
  // A transaction may take 90 s and begins within 10 s; the rest allows for clock differences.
  lateCommitMsMax: [3 * 60 * 1_000, 'Time from the creation of an event to its commit'],
  storedPageSizeMax: [100, 'Stored events of a page'],
  // Each of 200 slow readers may hold one such page in memory.
  storedPageBytesMax: [512 * 1024, 'Stored events of a page; one event may be longer'],
  concurrentMissedReadsMax: [8, 'Concurrent reads of missed events in a process'],
});

export const egressLimits = group('Requests to receivers', {
  headerBytesMax: [16 * 1024, 'Headers of a response'],
  bodyBytesReadMax: [64 * 1024, 'Body of a response, read'],
  wireBytesReadMax: [
    128 * 1024,
    'Response on the wire, with interim responses, chunk extensions and trailers',
  ],
  responseSampleBytesMax: [4 * 1024, 'Body of a response, kept'],
  responseHeaderBytesMax: [160, 'Header of a response, kept, of 8 at most'],
  concurrentChallengesMax: [
    32,
    'Challenges of receivers in flight in a process, three quarters for one application',
  ],
  idleConnectionsMax: [256, 'Idle connections of a process; to an origin, as many as requests'],
  // Shorter than the 5 s idle timeout of a Node receiver, so that we close first.
  idleMsMax: [4_000, 'Idle connection'],
  // A name can move to another address, so even a busy connection ends for a new lookup.
  connectionAgeMsMax: [60_000, 'Age of a reused connection'],
});

export const traceLimits = group('Traces', {
  sameTraceMsMax: [60 * 60 * 1_000, 'Age of a change up to which its attempts belong to its trace'],
});

export const processLimits = group('MongoDB and the process', {
  mongoConnectionsMax: [50, 'Connections of a process to MongoDB'],
  mongoTimeoutMs: [5_000, 'Each wait of a MongoDB operation'],
  // With the driver's default of 10 s, calls to a frozen primary would fail after 15 s, long after an election.
  mongoHeartbeatMs: [
    2_000,
    'Time between heartbeats of a MongoDB server, which is given up when one is 5 s late',
  ],
  // The driver alone would retry a transaction for two minutes, long after its caller has left.
  clockAheadMsMax: [
    30_000,
    "Distance of a process's clock from MongoDB's; beyond it an api is unready",
  ],
  transactionBeginsMsMax: [10_000, 'Time in which a transaction is retried'],
  stopTimeoutMs: [10_000, 'Stop of a process'],
  requestsCutAfterMs: [8_000, 'Time from a stop until open requests are cut'],
  attemptsCutAfterMs: [9_000, 'Time from a stop until attempts are cut'],
  webhookBytesKeptMax: [32 * 1024 * 1024, 'Webhooks in memory, as stored'],
  tokensWaitingMax: [
    10_000,
    'Tokens that wait to be written to the lists of users, three quarters for one application',
  ],
  logBytesMax: [4 * 1024 * 1024, 'Log lines that wait for a slow reader'],
});

/** All groups, in the order of docs/limits.md. */
export const limitGroups = {
  limits,
  httpLimits,
  dispatchLimits,
  attemptLimits,
  jobLimits,
  statisticsLimits,
  streamLimits,
  egressLimits,
  traceLimits,
  processLimits,
};
