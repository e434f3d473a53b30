// No Node built-ins here: workflows import this file.

/**
 * After this silence another worker gets the activity. Well above `heartbeatSentEveryMs`: the work of a starved worker
 * that is taken for dead is done twice, which costs more processor time still.
 */
export const heartbeatTimeoutMs = 4_000;

/** How often a worker's heartbeats go out; the SDK would wait for four fifths of the timeout. */
export const heartbeatSentEveryMs = 1_500;

/** How often an activity beats; a quick attempt costs no beat. */
export const heartbeatEveryMs = 1_000;
