// A delivery that got a 2xx is sent again only on request, or because the service may not have recorded the response.
import type { Duplicate, ReceivedRequest } from '../history.ts';
import {
  type Facts,
  type Finding,
  isSuccess,
  lastsUntilMs,
  lossOf,
  type Pair,
  resendsOf,
} from './facts.ts';

const shareMax = 0.01;
/** A short run may have a fault at a bad moment. */
const countMin = 100;

export function duplicatesOf(facts: Facts): Duplicate[] {
  const found: Duplicate[] = [];
  for (const pair of facts.pairs.values()) {
    let taken: ReceivedRequest | undefined;
    for (const request of pair.requests) {
      if (taken !== undefined && !isRequested(facts, pair, { taken, request })) {
        const { event, webhook } = pair;
        const cause = lossOf(facts, taken, request.atMs);
        found.push({ eventId: event._id, webhookUid: webhook.uid, cause });
      }
      if (isSuccess(request.response.status)) taken = request;
    }
  }
  return found;
}

export function duplicates(facts: Facts): Finding[] {
  const all = duplicatesOf(facts);
  const isOften = all.length > Math.max(countMin, shareMax * facts.pairs.size);
  const often = isOften ? [{ what: `${all.length} of ${facts.pairs.size} were sent again` }] : [];
  const uncaused = all
    .filter(({ cause }) => cause === null)
    .map(({ eventId, webhookUid }) => {
      const what = `${eventId}/${webhookUid} was sent again after a 2xx, without a cause`;
      return { what, eventId, webhookUid };
    });
  return [...often, ...uncaused];
}

function isRequested(
  facts: Facts,
  pair: Pair,
  { taken, request }: Record<'taken' | 'request', ReceivedRequest>,
): boolean {
  return resendsOf(facts, pair).some(
    (job) => job.startMs <= request.atMs && lastsUntilMs(job) >= taken.atMs,
  );
}
