// Which turns a request to a receiver takes before it goes, and how long it waits for them.
import { enterLines, noTurn, SendTurns } from './send-turns.ts';
import type { Turn } from './send-turns.ts';

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
  /** Turned away at once while 24 requests of the webhook are late, also where it has turns left. */
  readonly avoidsSlow?: boolean;
  readonly signal?: AbortSignal;
}

export interface TurnTaker {
  /**
   * Waits for the turns of a request to a URL. Rejects with the SendFault `NO_TURN`, or with the
   * signal's reason.
   */
  take(url: URL, requester: Requester): Promise<Turn>;
  /** Turns away who waits, and from now on who would have to. */
  endWaits(): void;
}

export function createTurnTaker(): TurnTaker {
  const ofWebhook = new SendTurns({ ...turnsOfWebhook, slowWaitMsMax });
  const ofOrigin = new SendTurns({ ...turnsOfOrigin, slowWaitMsMax });
  // All receivers together say nothing of one, so this line is never slow.
  const inAll = new SendTurns(turnsInAll);
  return {
    async take(url, { webhookUid = url.href, avoidsSlow = false, signal }) {
      // Not asked of the origin: another webhook there may be the slow one, and never has all turns.
      if (avoidsSlow && ofWebhook.isSlow(webhookUid)) throw noTurn();
      return enterLines(
        [
          [ofWebhook, webhookUid],
          [ofOrigin, url.origin],
          [inAll, ''],
        ],
        { waitMsMax: turnWaitMsMax, signal },
      );
    },
    endWaits() {
      for (const turns of [ofWebhook, ofOrigin, inAll]) turns.endWaits();
    },
  };
}
