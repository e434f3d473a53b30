// The limits that no setting changes. `npm run generate` writes docs/limits.md from them.

type Rows = Readonly<Record<string, readonly [value: number, bounds: string]>>;

/** Of a group: its title, and what each limit bounds. */
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
  credentialBytesMax: [64 * 1024, 'Body of a request with credentials, which strangers may send'],
  payloadBytesMax: [256 * 1024, 'Payload of an event'],
  webhooksPerAppCeiling: [1_000, 'Webhooks of an application that a setting may allow'],
  apiKeysPerAppMax: [50, 'Active API keys of an application; twice as many to roll them'],
  apiKeysKeptPerAppMax: [
    1_000,
    'API keys of an application with ended ones; twice as many to roll them',
  ],
  membersPerAppMax: [100, 'Members of an application'],
  tenantsPerWebhookMax: [100, 'Tenants in the filter of a webhook'],
  headersPerWebhookMax: [20, 'Own headers of a webhook'],
  webhookHeaderBytesMax: [4 * 1024, "Names and values of a webhook's own headers together"],
  usernameCharactersMax: [200, "User name of a webhook's receiver"],
  receiverPasswordCharactersMax: [500, "Password of a webhook's receiver"],
  bearerTokenCharactersMax: [4_096, "Bearer token of a webhook's receiver"],
  clientCertificateCharactersMax: [12 * 1024, 'Client certificate of a webhook, with its chain'],
  clientCertificatesMax: [5, 'Certificates in it'],
  clientKeyCharactersMax: [6 * 1024, 'Private key of a client certificate'],
  metadataKeysMax: [20, '`metadata` of a webhook'],
  metadataKeyCharactersMax: [40, 'A key of `metadata`'],
  metadataValueCharactersMax: [200, 'A value of `metadata`'],
  ratePerSecondMax: [100, '`ratePerSecond` of a webhook'],
  filterPathsMax: [10, 'Fields in the `filter` of a webhook'],
  filterValuesMax: [50, 'Values of a `filter` in all'],
  filterPathDepthMax: [5, 'Names in a path of a `filter`'],
  filterTextCharactersMax: [256, 'Path of a `filter`; each text among its values'],
  replayedPerSecondMax: [100, 'Deliveries of a replay, if asked for'],
  mentionsPerErasureMax: [10, 'Texts that an erasure searches for'],
  filesPerContextMax: [1_000, 'Files of a context'],
  // A whole schedule, all of which the statistics count, however short its waits are.
  attemptsKeptMax: [20 + 1, 'Attempts kept in a delivery, the latest'],
  attemptTimeoutMs: [5_000, 'An attempt, from DNS to the last byte'],
  retryStepsMax: [20, 'Waits of a retry schedule'],
  retryWaitMsMin: [1_000, 'Each wait of a retry schedule'],
  retryScheduleMsMax: [7 * 24 * 60 * 60 * 1_000, 'A retry schedule in all'],
  pageSizeDefault: [50, 'Items of a page, unless asked otherwise'],
  pageSizeMax: [200, 'Items of a page, if asked for'],
  pageBytesMax: [2 * 1024 * 1024, 'Items of a page as they are stored; one item may be longer'],
  externalIdCharactersMax: [256, '`externalId` of a user; a text that an erasure searches for'],
  emailCharactersMax: [254, 'E-mail address'],
  nameCharactersMax: [200, 'Name; uid of a reported resource, also in a filter'],
  tenantCharactersMax: [200, '`externalTenantId`'],
  filterCharactersMax: [
    64,
    'Uid or action in a filter of a list; the uid of a resource may be longer',
  ],
  descriptionCharactersMax: [4_000, 'Description'],
  accountUidsMax: [100, 'Accounts in the body of a request'],
  // Also bounds a token: 100 uids are some 4.5 KB of it.
  accountsPerUserMax: [100, 'Accounts of a user'],
  userTokenLifetimeMaxMs: [60 * 60 * 1_000, "Lifetime of a user's token that a setting may allow"],
  sessionIdleMs: [60 * 60 * 1_000, "An admin's session without a request"],
  sessionLifetimeMs: [12 * 60 * 60 * 1_000, "An admin's session in all"],
  userAgentCharactersMax: [256, "`User-Agent` that is kept with an admin's session"],
  authTokenCharactersMax: [8 * 1_024, 'Token to verify'],
});

export const httpLimits = group('HTTP', {
  headerBytesMax: [16 * 1024, 'Headers of a request'],
  headersTimeoutMs: [10_000, "Arrival of a request's headers"],
  requestTimeoutMs: [15_000, 'Arrival of a whole request'],
  keepAliveTimeoutMs: [65_000, 'A connection between requests'],
  idleTimeoutMs: [30_000, 'A connection without traffic during a request'],
  waitingPerPermitMax: [4, 'Requests that wait for each permit (`HERALD_REQUESTS_AT_ONCE`)'],
  // Half of what a caller usually waits.
  permitWaitMsMax: [15_000, 'Wait of a request for a permit'],
  // Longer than a read of MongoDB may take.
  recognisedWithinMs: [6_000, 'Recognition of a caller'],
  // Longer than a transaction is begun again, or than MongoDB usually takes to change its primary.
  answeredWithinMs: [12_000, 'Answer to a request, its waits included'],
  handlingMsMin: [6_000, 'Time that a request has after its waits in any case'],
  bodyBytesMax: [256 * 1024 * 1024, 'All bodies in a process, from the first byte to the answer'],
  bodyBytesPerCallerMax: [
    32 * 1024 * 1024,
    'Those of an API key, of an admin, and of an address (IPv6: a /64) without either',
  ],
  jsonDepthMax: [32, 'Depth of JSON'],
  jsonArrayItemsMax: [10_000, 'Items of a JSON array'],
  jsonObjectKeysMax: [2_000, 'Keys of a JSON object'],
  // A sign-in takes two: to the identity provider and back.
  oidcVisitsPerMinute: [60, 'Visits of an address to the identity provider'],
});

export const dispatchLimits = group('Dispatch', {
  startsAtOnceMax: [3, 'Concurrent workflow starts of a process (ADR 39)'],
  startsAtOnceMaxAlone: [
    16,
    'Concurrent workflow starts of a process, where each event has its own',
  ],
  ownWorkflowBelow: [10, 'Waiting events of a process from which events share workflows'],
  eventsWaitingMax: [
    5_000,
    'Events of a process that wait for a start, three quarters for one application; the rest is left to the relay',
  ],
  // 60 of our ids fit in the 2 KB of a search attribute.
  idsPerSearchAttributeMax: [60, 'Events of a workflow; ids in a search attribute'],
  // Each may need an activity for its retries; Temporal advises 500 at a time.
  deliveriesPerWorkflowMax: [500, 'Deliveries of a workflow of several events'],
  workflowTaskTimeoutMs: [4_000, 'A workflow task, before another process gets it'],
  relayEveryMs: [1_000, 'Pause of the relay between sweeps'],
  relayBackoffMsMax: [30_000, 'Pause of the relay while MongoDB or Temporal is away'],
  relayedPerSweepMax: [500, 'Events, jobs and partitions of a sweep, each'],
});

export const attemptLimits = group('Attempts and order', {
  firstActivitiesMax: [50, 'Activities `attemptFirst` of a workflow'],
  activitiesAtOnceMax: [200, 'Concurrent retries of a process; as many steps of an order'],
  deliveriesShownMax: [
    20,
    'Deliveries up to which a workflow shows each one, not only the failed and retried',
  ],
  attemptsShownMax: [60, 'Attempts in the result of a workflow'],
  // A workflow task waits for its first attempts, which a silent receiver keeps for 5 s.
  workflowTasksAtOnceMax: [400, 'Concurrent workflow tasks of a process'],
  // 15 s at most with the waits for a rate and a permit; a call that ran out of its time would be sent twice.
  callTimeoutMs: [30_000, 'A call of `attemptFirst` or `retryDelivery`'],
  // Beyond any schedule: 7 days, in which a `Retry-After` at most doubles a wait or makes it an hour, 20 times.
  retriesTimeoutMs: [15 * 24 * 60 * 60 * 1_000, 'All calls of one `retryDelivery`'],
  permitsPerWebhookMax: [32, 'Requests of a webhook in flight'],
  // Three webhooks whose receiver is silent leave room to a fourth (docs/adr/0038).
  permitsPerOriginMax: [
    4 * 32,
    'Requests of an application to an origin in flight that are not overdue',
  ],
  mailsAtOnceMax: [4, "Mails of a process under way, to the operator's mail server"],
  permitsInAllMax: [
    256,
    'Requests of a process in flight that are not overdue; three quarters of them for one application',
  ],
  firstAttemptClaimMs: [
    4_000,
    'Time from shortly before the commit in which first attempts are left to the process that recorded the event',
  ],
  firstAttemptsAtOnceMax: [
    2_000,
    'First attempts of a process, with those that wait for a permit; three quarters for one application. The rest is left to the workflows, and of those to the retries',
  ],
  earlyAttemptBytesMax: [64 * 1024 * 1024, 'Payloads of these in memory'],
  earlyAttemptOutcomesMax: [10_000, 'Outcomes of early first attempts in memory'],
  permitWaitMsMax: [2_000, 'Wait for permits'],
  factsFreshMs: [
    500,
    'Age at which webhook, event and delivery are read anew right before a request',
  ],
  rateWaitMsMax: [1_000, 'Wait of an attempt for its rate-limit slot; one further past is void'],
  // Half of the places of retries: the other half is for webhooks without a rate.
  rateWaitsAtOnceMax: [
    100,
    'Attempts of a process that wait for a rate-limit slot, three quarters for one application; more are recorded with their slot',
  ],
  overdueAfterMs: [1_000, 'Age from which a request is overdue'],
  // Longer than a step, which begins attempts for 15 s.
  orderStepTimeoutMs: [45_000, 'A call of `attemptInOrder`'],
  // An attempt with its waits and reads; a request is begun only while there is time for all of it.
  partitionLeaseMs: [15_000, 'Lease of a partition, renewed with each number'],
});

export const jobLimits = group('Jobs', {
  pageEveryMs: [1_000, 'Time between the pages of a release or replay'],
  pageTimeoutMs: [60_000, 'A call of `takeJobPage`'],
  // Each may have some payloads in memory.
  pagesAtOnceMax: [20, 'Concurrent calls of `takeJobPage` of a process'],
  releasedPerSecondDefault: [20, 'Deliveries released, or replayed unless asked otherwise'],
  countedDeliveriesMax: [10_000, 'Deliveries that a dry run of a replay counts'],
  countedEventsMax: [100_000, 'Events that a dry run of a replay checks'],
  countingMsMax: [5_000, 'Time in which it counts'],
  // Each costs Temporal some steps at once, which at the time of the retries are spread.
  signalledPerPageMax: [
    100,
    'Workflows that a page tells that it took or cancelled what they wait to retry',
  ],
  erasureSecondPassAfterMs: [5 * 60 * 1_000, 'Time between the two passes of an erasure'],
});

export const statisticsLimits = group('Statistics', {
  countEveryMs: [10_000, 'Pause between checks for minutes to count'],
  countBackoffMsMax: [60_000, 'The same while MongoDB is away'],
  // Longer than any record of an attempt or a cancellation takes, from the time in it to its commit.
  countedAfterMs: [60_000, 'Time from the end of a minute until it is counted'],
  // Clocks differ, and a page of a job writes the time at which it began.
  staleUpdateMsMax: [
    15_000,
    'Time by which the last update of a delivery may be before the end of its last attempt',
  ],
  countLeaseMs: [2 * 60_000, 'Time for one count, before another process begins it, too'],
  talliedTogetherMax: [
    20_000,
    'Counts by minute, of webhooks and applications, of one read after a pause; at least one minute is counted',
  ],
  countedTogetherMax: [5_000, 'Those that are written in one transaction, or one minute'],
  uncountedReadMax: [
    2_000,
    'Deliveries not counted yet that an answer includes: all, or with more of them none',
  ],
  undispatchedReadMax: [200, 'Undispatched events of all applications that an answer looks at'],
  rangeMsMin: [60 * 60 * 1_000, 'Range of an answer'],
  minutesRangeMsMax: [25 * 60 * 60 * 1_000, 'Range in minutes'],
  hoursRangeMsMax: [31 * 24 * 60 * 60 * 1_000, 'Range in hours'],
  daysRangeMsMax: [90 * 24 * 60 * 60 * 1_000, 'Range in days'],
  webhookPointsMax: [31, 'Range in hours or days of an answer about all webhooks, as many of them'],
  addedUpMax: [
    5_000,
    'Counts of hours or days that such an answer adds up: webhooks times hours or days',
  ],
  minutesKeptMs: [2 * 24 * 60 * 60 * 1_000, 'Counts of minutes, kept'],
  hoursKeptMs: [100 * 24 * 60 * 60 * 1_000, 'Counts of hours, kept'],
  daysKeptMs: [400 * 24 * 60 * 60 * 1_000, 'Counts of days, kept'],
});

export const streamLimits = group('Streams of events', {
  streamsMax: [200, 'Streams of a process, three quarters for one application'],
  streamsPerCallerMax: [10, 'Streams of an API key or an admin in a process'],
  keptEventsMax: [
    10_000,
    'Committed events in memory for all streams of a process; a reader that is further behind is closed',
  ],
  keptBytesMax: [32 * 1024 * 1024, 'Payloads of these in memory'],
  buffersBytesMax: [64 * 1024, 'Payloads and messages that a stream holds for its connection'],
  // Less than half of the idle time after which a connection is closed.
  heartbeatEveryMs: [15_000, 'Silence of a stream'],
  callerCheckEveryMs: [
    2_000,
    'Time between checks whether the callers of the streams may still read',
  ],
  endReasonMs: [1_000, 'Time that a reader has to take the reason why its stream ends'],
  resumedExactlyMsMax: [
    10 * 60 * 1_000,
    'Time since a reader was cut, up to which it resumes in the order of commits',
  ],
  resumingMsMax: [
    10_000,
    'Time from one event to the next meanwhile; after that, stored events are read instead',
  ],
  // A transaction may live for 90 s, and begins within 10 s; the rest is for clocks that differ.
  lateCommitMsMax: [3 * 60 * 1_000, 'Time from the making of an event to its commit'],
  storedPageSizeMax: [100, 'Events of a page of stored ones'],
  // Each of 200 slow readers may have such a page in memory.
  storedPageBytesMax: [512 * 1024, 'These as they are stored; one event may be longer'],
  missedReadsAtOnceMax: [8, 'Reads of a process at the same time, of what readers missed'],
});

export const egressLimits = group('Requests to receivers', {
  headerBytesMax: [16 * 1024, 'Headers of an answer'],
  bodyBytesReadMax: [64 * 1024, 'Body of an answer that is read'],
  wireBytesReadMax: [
    128 * 1024,
    'Answer on the wire, with interim answers, chunk extensions and trailers',
  ],
  responseSampleBytesMax: [4 * 1024, 'Body of an answer that is kept'],
  idleConnectionsMax: [256, 'Idle connections of a process; to an origin as many as requests'],
  // Shorter than the 5 s after which a Node receiver closes, so that we close first.
  idleMsMax: [4_000, 'An idle connection'],
  // A name can move, so even a busy connection ends for a new lookup.
  connectionAgeMsMax: [60_000, 'Age up to which a connection is used again'],
});

export const traceLimits = group('Traces', {
  sameTraceMsMax: [
    60 * 60 * 1_000,
    'Age of a change up to which its attempts are in its trace; later ones have traces of their own',
  ],
});

export const processLimits = group('MongoDB and the process', {
  mongoConnectionsMax: [50, 'Connections of a process to MongoDB'],
  mongoTimeoutMs: [5_000, 'Each wait of an operation of MongoDB'],
  // With the driver's 10 s, calls of a frozen primary are given up only 15 s later, when another is long elected.
  mongoHeartbeatMs: [
    2_000,
    'Between two signs of life of a server of MongoDB; one is given up when the next is `mongoTimeoutMs` late',
  ],
  // The driver alone would repeat a transaction for two minutes; its caller has gone by then.
  clockAheadMsMax: [
    30_000,
    "Distance of a process's own clock from MongoDB's, which all go by; beyond it an api is unready",
  ],
  transactionBeginsMsMax: [10_000, 'Time in which a transaction is begun again'],
  stopTimeoutMs: [10_000, 'A stop'],
  requestsCutAfterMs: [8_000, 'Time from a stop until open requests are cut'],
  attemptsCutAfterMs: [9_000, 'Time from a stop until attempts are cut'],
  webhookBytesKeptMax: [
    32 * 1024 * 1024,
    'Webhooks in memory as they are stored, so that a change parses only those that have changed',
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
