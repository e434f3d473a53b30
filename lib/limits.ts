// The limits that no setting changes. `npm run limits` writes docs/limits.md from them.

/** Contract */
export const limits = {
  /** Body of a request. */
  requestBytesMax: 256 * 1024,
  /** Body of a request with credentials, which strangers may send. */
  credentialBytesMax: 64 * 1024,
  /** Payload of an event. */
  payloadBytesMax: 256 * 1024,
  /** Webhooks of an application that a setting may allow. */
  webhooksPerAppCeiling: 1_000,
  /** Active API keys of an application; twice as many to roll them. */
  apiKeysPerAppMax: 50,
  /** API keys of an application with ended ones; twice as many to roll them. */
  apiKeysKeptPerAppMax: 1_000,
  /** Members of an application. */
  membersPerAppMax: 100,
  /** Tenants in the filter of a webhook. */
  tenantsPerWebhookMax: 100,
  /** Own headers of a webhook. */
  headersPerWebhookMax: 20,
  /** Names and values of a webhook's own headers together. */
  webhookHeaderBytesMax: 4 * 1024,
  /** User name of a webhook's receiver. */
  usernameCharactersMax: 200,
  /** Password of a webhook's receiver. */
  receiverPasswordCharactersMax: 500,
  /** Bearer token of a webhook's receiver. */
  bearerTokenCharactersMax: 4_096,
  /** Client certificate of a webhook, with its chain. */
  clientCertificateCharactersMax: 12 * 1024,
  /** Certificates in it. */
  clientCertificatesMax: 5,
  /** Private key of a client certificate. */
  clientKeyCharactersMax: 6 * 1024,
  /** `metadata` of a webhook. */
  metadataKeysMax: 20,
  /** A key of `metadata`. */
  metadataKeyCharactersMax: 40,
  /** A value of `metadata`. */
  metadataValueCharactersMax: 200,
  /** `ratePerSecond` of a webhook. */
  ratePerSecondMax: 100,
  /** Fields in the `filter` of a webhook. */
  filterPathsMax: 10,
  /** Values of a `filter` in all. */
  filterValuesMax: 50,
  /** Names in a path of a `filter`. */
  filterPathDepthMax: 5,
  /** Path of a `filter`; each text among its values. */
  filterTextCharactersMax: 256,
  /** Deliveries of a replay, if asked for. */
  replayedPerSecondMax: 100,
  /** Texts that an erasure searches for. */
  mentionsPerErasureMax: 10,
  /** Files of a context. */
  filesPerContextMax: 1_000,
  // A whole schedule, all of which the statistics count, however short its waits are.
  /** Attempts kept in a delivery, the latest. */
  attemptsKeptMax: 20 + 1,
  /** An attempt, from DNS to the last byte. */
  attemptTimeoutMs: 5_000,
  /** Waits of a retry schedule. */
  retryStepsMax: 20,
  /** Each wait of a retry schedule. */
  retryWaitMsMin: 1_000,
  /** A retry schedule in all. */
  retryScheduleMsMax: 7 * 24 * 60 * 60 * 1_000,
  /** Items of a page, unless asked otherwise. */
  pageSizeDefault: 50,
  /** Items of a page, if asked for. */
  pageSizeMax: 200,
  /** Items of a page as they are stored; one item may be longer. */
  pageBytesMax: 2 * 1024 * 1024,
  /** `externalId` of a user; a text that an erasure searches for. */
  externalIdCharactersMax: 256,
  /** E-mail address. */
  emailCharactersMax: 254,
  /** Name; uid of a reported resource. */
  nameCharactersMax: 200,
  /** `externalTenantId`. */
  tenantCharactersMax: 200,
  /** Filter of the audit log. */
  filterCharactersMax: 64,
  /** Description. */
  descriptionCharactersMax: 4_000,
  /** Accounts in the body of a request. */
  accountUidsMax: 100,
  // Also bounds a token: 100 uids are some 4.5 KB of it.
  /** Accounts of a user. */
  accountsPerUserMax: 100,
  /** Lifetime of a user's token that a setting may allow. */
  userTokenLifetimeMaxMs: 60 * 60 * 1_000,
  /** An admin's session without a request. */
  sessionIdleMs: 60 * 60 * 1_000,
  /** An admin's session in all. */
  sessionLifetimeMs: 12 * 60 * 60 * 1_000,
  /** `User-Agent` that is kept with an admin's session. */
  userAgentCharactersMax: 256,
  /** Token to verify. */
  authTokenCharactersMax: 8 * 1_024,
} as const;

/** HTTP */
export const httpLimits = {
  /** Headers of a request. */
  headerBytesMax: 16 * 1024,
  /** Arrival of a request's headers. */
  headersTimeoutMs: 10_000,
  /** Arrival of a whole request. */
  requestTimeoutMs: 15_000,
  /** A connection between requests. */
  keepAliveTimeoutMs: 65_000,
  /** A connection without traffic during a request. */
  idleTimeoutMs: 30_000,
  /** Requests that wait for each permit (`HERALD_REQUESTS_AT_ONCE`). */
  waitingPerPermitMax: 4,
  // Half of what a caller usually waits.
  /** Wait of a request for a permit. */
  permitWaitMsMax: 15_000,
  // Longer than a read of MongoDB may take.
  /** Recognition of a caller. */
  recognisedWithinMs: 6_000,
  // Longer than a transaction is begun again, or than MongoDB usually takes to change its primary.
  /** Answer to a request, its waits included. */
  answeredWithinMs: 12_000,
  /** Time that a request has after its waits in any case. */
  handlingMsMin: 6_000,
  /** All bodies in a process, from the first byte to the answer. */
  bodyBytesMax: 256 * 1024 * 1024,
  /** Depth of JSON. */
  jsonDepthMax: 32,
  /** Items of a JSON array. */
  jsonArrayItemsMax: 10_000,
  /** Keys of a JSON object. */
  jsonObjectKeysMax: 2_000,
  // A sign-in takes two: to the identity provider and back.
  /** Visits of an address to the identity provider. */
  oidcVisitsPerMinute: 60,
} as const;

/** Dispatch */
export const dispatchLimits = {
  /** Concurrent workflow starts of a process (ADR 20). */
  startsAtOnceMax: 3,
  /** Concurrent workflow starts of a process, where each event has its own. */
  startsAtOnceMaxAlone: 16,
  /** Events of a process that wait for a start; the rest is left to the relay. */
  eventsWaitingMax: 5_000,
  // 60 of our ids fit in the 2 KB of a search attribute.
  /** Events of a workflow; ids in a search attribute. */
  idsPerSearchAttributeMax: 60,
  // Each may need an activity for its retries; Temporal advises 500 at a time.
  /** Deliveries of a workflow of several events. */
  deliveriesPerWorkflowMax: 500,
  /** A workflow task, before another process gets it. */
  workflowTaskTimeoutMs: 4_000,
  /** Pause of the relay between sweeps. */
  relayEveryMs: 1_000,
  /** Pause of the relay while MongoDB or Temporal is away. */
  relayBackoffMsMax: 30_000,
  /** Events, jobs and partitions of a sweep, each. */
  relayedPerSweepMax: 500,
} as const;

/** Attempts and order */
export const attemptLimits = {
  /** Deliveries of one `attemptFirst`. */
  firstAttemptsPerActivityMax: 100,
  /** Concurrent retries and steps of an order of a process; as many job pages. */
  activitiesAtOnceMax: 200,
  /** Attempts in the result of a workflow. */
  attemptsShownMax: 60,
  // A workflow task waits for its first attempts, which a silent receiver keeps for 5 s.
  /** Concurrent workflow tasks of a process; as many `attemptFirst`. */
  workflowTasksAtOnceMax: 400,
  // 15 s at most with the waits for a rate and a permit; a call that ran out of its time would be sent twice.
  /** A call of `attemptFirst` or `retryDelivery`. */
  callTimeoutMs: 30_000,
  // Beyond any schedule: 7 days, in which a `Retry-After` at most doubles a wait or makes it an hour, 20 times.
  /** All calls of one `retryDelivery`. */
  retriesTimeoutMs: 15 * 24 * 60 * 60 * 1_000,
  /** Requests of a webhook under way. */
  permitsPerWebhookMax: 32,
  // Three webhooks whose receiver is silent leave room to the others (docs/adr/0015).
  /** Requests to an origin under way that are not overdue. */
  permitsPerOriginMax: 4 * 32,
  /** Mails of a process under way, to the operator's mail server. */
  mailsAtOnceMax: 4,
  /** Requests of a process under way that are not overdue. */
  permitsInAllMax: 256,
  /** Time from shortly before the commit in which first attempts are left to the process that recorded the event. */
  headStartMs: 4_000,
  /** First attempts of a process right after the commit, with those that wait for a permit; the rest is left to the workflows. */
  headStartsAtOnceMax: 2_000,
  /** Payloads of these in memory. */
  headStartBytesMax: 64 * 1024 * 1024,
  /** Outcomes of the head start in memory. */
  headStartOutcomesMax: 10_000,
  /** Wait for permits. */
  permitWaitMsMax: 2_000,
  /** Wait for the rate of a webhook; twice that after a wait in its line. */
  rateWaitMsMax: 1_000,
  // Half of the places of retries: the other half is for webhooks without a rate.
  /** Attempts of a process that wait for a rate; more join the line. */
  rateWaitsAtOnceMax: 100,
  /** Age from which a request is overdue. */
  overdueAfterMs: 1_000,
  /** Overdue requests from which a webhook is saturated: only as many retries as it has permits may wait. */
  saturatedFromRequests: 32 / 2,
  // Longer than a step, which begins attempts for 15 s.
  /** A call of `attemptInOrder`. */
  orderStepTimeoutMs: 45_000,
  // Longer than any attempt: its activity is given up before.
  /** Lease of a partition. */
  partitionLeaseMs: 40_000,
} as const;

/** Jobs */
export const jobLimits = {
  /** Time between the pages of a release or replay. */
  pageEveryMs: 1_000,
  /** A call of `takeJobPage`. */
  pageTimeoutMs: 60_000,
  /** Deliveries released, or replayed unless asked otherwise. */
  releasedPerSecondDefault: 20,
  /** Deliveries that a dry run of a replay counts. */
  countedDeliveriesMax: 10_000,
  /** Events that a dry run of a replay checks. */
  countedEventsMax: 100_000,
  /** Time in which it counts. */
  countingMsMax: 5_000,
  // Each costs Temporal some steps at once, which at the time of the retries are spread.
  /** Workflows that a page tells that it took or cancelled what they wait to retry. */
  signalledPerPageMax: 100,
  /** Time between the two passes of an erasure. */
  erasureSecondPassAfterMs: 5 * 60 * 1_000,
} as const;

/** Statistics */
export const statisticsLimits = {
  /** Pause between checks for minutes to count. */
  countEveryMs: 10_000,
  /** The same while MongoDB is away. */
  countBackoffMsMax: 60_000,
  // Longer than any record of an attempt or a cancellation takes, from the time in it to its commit.
  /** Time from the end of a minute until it is counted. */
  countedAfterMs: 60_000,
  // Clocks differ, and a page of a job writes the time at which it began.
  /** Time by which the last update of a delivery may be before the end of its last attempt. */
  staleUpdateMsMax: 15_000,
  /** Time for one count, before another process begins it, too. */
  countLeaseMs: 2 * 60_000,
  /** Minutes counted in one transaction, after a pause. */
  minutesPerCountMax: 15,
  /** Webhooks and applications of all minutes of such a transaction; at least one minute is counted. */
  countedTogetherMax: 5_000,
  /** Deliveries not counted yet that an answer includes: all, or with more of them none. */
  uncountedReadMax: 2_000,
  /** Undispatched events of all applications that an answer looks at. */
  undispatchedReadMax: 200,
  /** Range of an answer. */
  rangeMsMin: 60 * 60 * 1_000,
  /** Range in minutes. */
  minutesRangeMsMax: 25 * 60 * 60 * 1_000,
  /** Range in hours. */
  hoursRangeMsMax: 31 * 24 * 60 * 60 * 1_000,
  /** Range in days. */
  daysRangeMsMax: 90 * 24 * 60 * 60 * 1_000,
  /** Range in hours or days of an answer about all webhooks, as many of them. */
  webhookPointsMax: 31,
  /** Counts of hours or days that such an answer adds up: webhooks times hours or days. */
  addedUpMax: 5_000,
  /** Counts of minutes, kept. */
  minutesKeptMs: 2 * 24 * 60 * 60 * 1_000,
  /** Counts of hours, kept. */
  hoursKeptMs: 100 * 24 * 60 * 60 * 1_000,
  /** Counts of days, kept. */
  daysKeptMs: 400 * 24 * 60 * 60 * 1_000,
} as const;

/** Streams of events */
export const streamLimits = {
  /** Streams of a process. */
  streamsMax: 200,
  /** Streams of an API key or an admin in a process. */
  streamsPerCallerMax: 10,
  /** Committed events in memory for all streams of a process; a reader that is further behind is closed. */
  keptEventsMax: 10_000,
  /** Payloads of these in memory. */
  keptBytesMax: 32 * 1024 * 1024,
  /** Payloads and messages that a stream holds for its connection. */
  buffersBytesMax: 64 * 1024,
  // Less than half of the idle time after which a connection is closed.
  /** Silence of a stream. */
  heartbeatEveryMs: 15_000,
  /** Time between checks whether the callers of the streams may still read. */
  callerCheckEveryMs: 2_000,
  /** Time that a reader has to take the reason why its stream ends. */
  farewellMs: 1_000,
  /** Time since a reader was cut, up to which it resumes in the order of commits. */
  resumedExactlyMsMax: 10 * 60 * 1_000,
  /** Time from one event to the next meanwhile; after that, stored events are read instead. */
  resumingMsMax: 10_000,
  // A transaction may live for 90 s, and begins within 10 s; the rest is for clocks that differ.
  /** Time from the making of an event to its commit. */
  lateCommitMsMax: 3 * 60 * 1_000,
  /** Events of a page of stored ones. */
  storedPageSizeMax: 100,
  /** Reads of a process at the same time, of what readers missed. */
  missedReadsAtOnceMax: 8,
} as const;

/** Requests to receivers */
export const egressLimits = {
  /** Headers of an answer. */
  headerBytesMax: 16 * 1024,
  /** Body of an answer that is read. */
  bodyBytesReadMax: 64 * 1024,
  /** Answer on the wire, with interim answers, chunk extensions and trailers. */
  wireBytesReadMax: 128 * 1024,
  /** Body of an answer that is kept. */
  responseSampleBytesMax: 4 * 1024,
  /** Idle connections of a process; to an origin as many as requests. */
  idleConnectionsMax: 256,
  // Shorter than the 5 s after which a Node receiver closes, so that we close first.
  /** An idle connection. */
  idleMsMax: 4_000,
  // A name can move, so even a busy connection ends for a new lookup.
  /** Age up to which a connection is used again. */
  connectionAgeMsMax: 60_000,
} as const;

/** Traces */
export const traceLimits = {
  /** Age of a change up to which its attempts are in its trace; later ones have traces of their own. */
  sameTraceMsMax: 60 * 60 * 1_000,
} as const;

/** MongoDB and the process */
export const processLimits = {
  /** Connections of a process to MongoDB. */
  mongoConnectionsMax: 50,
  /** Each wait of an operation of MongoDB. */
  mongoTimeoutMs: 5_000,
  // With the driver's 10 s, calls of a frozen primary are given up only 15 s later, when another is long elected.
  /** Between two signs of life of a server of MongoDB; one is given up when the next is `mongoTimeoutMs` late. */
  mongoHeartbeatMs: 2_000,
  // The driver alone would repeat a transaction for two minutes; its caller has gone by then.
  /** Time in which a transaction is begun again. */
  transactionBeginsMsMax: 10_000,
  /** A stop. */
  stopTimeoutMs: 10_000,
  /** Time from a stop until open requests are cut. */
  requestsCutAfterMs: 8_000,
  /** Time from a stop until attempts are cut. */
  attemptsCutAfterMs: 9_000,
  /** Log lines that wait for a slow reader. */
  logBytesMax: 4 * 1024 * 1024,
} as const;
