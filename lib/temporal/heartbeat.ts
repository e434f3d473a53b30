/** Well above `heartbeatSentEveryMs`: if a starved worker is presumed dead, its work is done twice. */
export const heartbeatTimeoutMs = 4_000;

/** How often a worker sends heartbeats; the SDK would wait for four fifths of the timeout. */
export const heartbeatSentEveryMs = 1_500;

/** How often an activity records a heartbeat; a quick attempt records none. */
export const heartbeatEveryMs = 1_000;
