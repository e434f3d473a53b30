// How soon a killed worker is noticed, and how long a starved one may be silent.
// No Node built-ins here: workflows import this file.

/**
 * An activity whose worker was silent for so long is given to another. It must be well above
 * `heartbeatSentEveryMs`: a worker that only lacks the processor for a while has the rest to spare,
 * and one that is taken for dead has its work done twice, which costs the processor still more.
 */
export const heartbeatTimeoutMs = 4_000;

/** How often a worker's heartbeats go out; the SDK would wait for four fifths of the timeout. */
export const heartbeatSentEveryMs = 1_500;

/** How often an activity beats. A quick attempt is over before the first beat and costs none. */
export const heartbeatEveryMs = 1_000;
