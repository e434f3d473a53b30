/** Well above `heartbeatSentEveryMs`: a starved worker that is taken for dead has its work done twice. */
export const heartbeatTimeoutMs = 4_000;

/** How often a worker's heartbeats go out; the SDK would wait for four fifths of the timeout. */
export const heartbeatSentEveryMs = 1_500;

/** How often an activity beats; a quick attempt costs no beat. */
export const heartbeatEveryMs = 1_000;
