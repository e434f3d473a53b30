// A webhook with a rate gets no more requests in 5 s than the slots of these and of the second before.
import { overlaps, possibleSettings } from './calls.ts';
import { type Facts, type Finding, isOfSender } from './facts.ts';

const windowMs = 5_000;
/** "A busy service may send a request up to a second after its slot." */
const lateMs = 1_000;
/** Requests in flight may be older than the rate. */
const ratelessMs = 10_000;

export function rate({ webhooks, requestsAt, faults }: Facts): Finding[] {
  const found: Finding[] = [];
  const frozen = faults.filter(isOfSender);
  for (const webhook of webhooks.values()) {
    if (webhook.settings.every(({ settings }) => settings.ratePerSecond === null)) continue;
    const timesMs = attemptTimes(requestsAt.get(webhook.path) ?? []);
    for (const [index, endMs] of timesMs.entries()) {
      const current = possibleSettings(webhook, { startMs: endMs - windowMs - ratelessMs, endMs });
      if (current.some(({ ratePerSecond }) => ratePerSecond === null)) continue;
      // Waiting deliveries keep the slots of an earlier rate.
      const past = webhook.settings.filter(({ startMs }) => startMs <= endMs);
      const perSecond = Math.max(...past.map(({ settings }) => settings.ratePerSecond ?? 0));
      const startMs = endMs - windowMs;
      const slots = Math.ceil((perSecond * (windowMs + lateMs)) / 1_000) + 1;
      // A process that goes on sends what had a slot within a second.
      const late = frozen.filter((fault) => overlaps(fault, { startMs, endMs }));
      const most = slots + late.length * (perSecond + 1);
      const before = timesMs[index - most];
      if (before === undefined || before < startMs) continue;
      const what = `${webhook.uid} got more than ${most} requests in 5 s at ${perSecond} per second`;
      found.push({ what, webhookUid: webhook.uid });
      break;
    }
  }
  return found;
}

// A repeat of an attempt has the slot of the first request.
function attemptTimes(requests: readonly { eventId: string; attempt: number; atMs: number }[]) {
  const seen = new Set<string>();
  return requests.flatMap(({ eventId, attempt, atMs }) => {
    const key = `${eventId}/${attempt}`;
    if (seen.has(key)) return [];
    seen.add(key);
    return [atMs];
  });
}
