// Which turns a request to a receiver takes before it goes, and how long it waits for them.
import { enterLines, SendTurns } from './send-turns.ts';

/** To one origin few requests go at once, because a burst is faster over few connections. */
export const turnsOfOrigin = { atOnceMax: 32, holdMsMax: 1_000 };

/**
 * Many webhooks, of several tenants, may be at one origin, so one webhook never has all of its turns;
 * in all as many requests go as a process can serve without falling behind. A request counts for a
 * second, so slow receivers slow down those who send to them and hardly anybody else.
 */
const turnsOfWebhook = { atOnceMax: 24, holdMsMax: 1_000 };
const turnsInAll = { atOnceMax: 256, holdMsMax: 1_000 };

/** The wait for turns and the attempt together must end well within the 30 s of an activity. */
const turnWaitMsMax = 8_000;

/**
 * Whoever waits keeps a place among the first attempts or the retries of this process. A burst to a
 * quick receiver is soon over; behind a slow one the wait goes on in Temporal, where it costs nobody a
 * place.
 */
const slowWaitMsMax = 2_000;

interface Requester {
  /** One webhook never has all the turns of its origin. Else the url counts. */
  readonly webhookUid?: string;
  readonly avoidsSlow?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * Gives the function that waits for the turns of a request to a URL, and gives the one to call when the
 * request has ended. Rejects with the SendFault `NO_TURN`, or with the signal's reason.
 */
export function createTurnTaker(): (url: URL, requester: Requester) => Promise<() => void> {
  const ofWebhook = new SendTurns({ ...turnsOfWebhook, slowWaitMsMax });
  const ofOrigin = new SendTurns({ ...turnsOfOrigin, slowWaitMsMax });
  // All receivers together say nothing of one, so this line is never slow.
  const inAll = new SendTurns(turnsInAll);
  return (url, { webhookUid = url.href, avoidsSlow, signal }) =>
    enterLines(
      [
        [ofWebhook, webhookUid],
        [ofOrigin, url.origin],
        [inAll, ''],
      ],
      { waitMsMax: turnWaitMsMax, avoidsSlow, signal },
    );
}
