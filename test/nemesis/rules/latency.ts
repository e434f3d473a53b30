// How long the first requests take: of a quiet application while nothing is at fault, and after faults.
import type { Span, Verdict } from '../history.ts';
import { possibleSettings } from './calls.ts';
import { type Facts, type Finding, jobsOf, type Pair } from './facts.ts';

const calmAfterMs = 10_000;
const calmBeforeMs = 1_000;
const lateMsMin = 10_000;
/** A receiver that was slow in this time may still have throttled deliveries. */
const throttledMs = 70_000;
const slowMs = 1_000;

type Latencies = Pick<Verdict, 'quietP99Ms' | 'recoveryMs'>;

interface Wait extends Span {
  changeEndMs: number;
  appUid: string;
}

export function latenciesOf(facts: Facts): Latencies {
  const waits = waitsOf(facts);
  const episodes = episodesOf(facts);
  const quiet = waits.filter(({ appUid }) => appUid === facts.history.quietAppUid);
  const firstFaultMs = episodes[0]?.startMs ?? Infinity;
  const p99 = (each: readonly Wait[]) =>
    percentile(
      each.map(({ startMs, endMs }) => endMs - startMs),
      0.99,
    );
  const recoveries = recoveriesOf(waits, episodes);
  return {
    quietP99Ms: {
      before: p99(quiet.filter(({ startMs }) => startMs < firstFaultMs - calmBeforeMs)),
      outsideFaults: p99(
        quiet.filter(({ startMs }) => startMs >= firstFaultMs && isCalm(startMs, episodes)),
      ),
    },
    recoveryMs: { p50: percentile(recoveries, 0.5), max: Math.max(0, ...recoveries) },
  };
}

export function latency(facts: Facts): Finding[] {
  const { quietP99Ms, recoveryMs } = latenciesOf(facts);
  const { before, outsideFaults } = quietP99Ms;
  const limitMs = Math.max(2 * before, 500);
  return [
    ...(outsideFaults > limitMs
      ? [{ what: `the p99 of the quiet application was ${outsideFaults} ms, not ${limitMs}` }]
      : []),
    ...(recoveryMs.p50 > 1_000
      ? [{ what: `half of the recoveries took ${recoveryMs.p50} ms` }]
      : []),
    ...lateOnes(facts).map((waitMs) => ({
      what: `a first request came ${waitMs} ms late in calm time`,
    })),
    ...(recoveryMs.max > 10_000 ? [{ what: `a recovery took ${recoveryMs.max} ms` }] : []),
  ];
}

/** Returns waits without a fault that are too long. */
function lateOnes(facts: Facts): number[] {
  const episodes = episodesOf(facts);
  return waitsOf(facts)
    .filter(({ startMs }) => isCalm(startMs, episodes))
    .map(({ startMs, endMs }) => endMs - startMs)
    .filter((waitMs) => waitMs > lateMsMin);
}

/** Returns the waits for first requests that nothing but a fault delays. */
function waitsOf(facts: Facts): Wait[] {
  const slowTimes = new Map(
    [...facts.requestsAt].map(([path, requests]) => [
      path,
      requests
        .filter(({ atMs, response }) => response.atMs - atMs > slowMs)
        .map(({ atMs }) => atMs),
    ]),
  );
  return [...facts.pairs.values()].flatMap((pair) => {
    const { change, event, webhook } = pair;
    const first = pair.requests[0];
    if (change?.outcome !== 'accepted' || first?.attempt !== 1) return [];
    const { startMs, endMs: changeEndMs } = change;
    const wait = { startMs, endMs: first.atMs, changeEndMs, appUid: event.appUid };
    const slowAtMs =
      slowTimes.get(webhook.path)?.findLast((atMs) => atMs <= first.atMs) ?? -Infinity;
    return isPrompt(facts, pair, wait) && slowAtMs < startMs - throttledMs ? [wait] : [];
  });
}

function isPrompt(facts: Facts, pair: Pair, wait: Span): boolean {
  const settings = possibleSettings(pair.webhook, wait);
  return (
    settings.length > 0 &&
    settings.every(
      ({ active, ordering, ratePerSecond }) =>
        active && ordering === 'parallel' && ratePerSecond === null,
    ) &&
    jobsOf(facts, pair).every(({ startMs }) => startMs > wait.endMs) &&
    !isAfterGone(facts, pair, wait.endMs)
  );
}

/** A 410 in the minute before may have deactivated the webhook. */
function isAfterGone(facts: Facts, { webhook }: Pair, atMs: number): boolean {
  const gone = facts.gone.get(webhook.path) ?? [];
  return gone.some(({ atMs: goneMs }) => goneMs <= atMs && goneMs > atMs - throttledMs);
}

/** Faults that overlap are one: what waits goes on when the last of them has ended. */
function episodesOf({ faults }: Facts): Span[] {
  const episodes: Span[] = [];
  for (const { startMs, endMs } of faults) {
    const last = episodes.at(-1);
    if (last === undefined || startMs > last.endMs) episodes.push({ startMs, endMs });
    else last.endMs = Math.max(last.endMs, endMs);
  }
  return episodes;
}

function isCalm(atMs: number, episodes: readonly Span[]): boolean {
  return episodes.every(
    ({ startMs, endMs }) => atMs >= endMs + calmAfterMs || atMs < startMs - calmBeforeMs,
  );
}

/** Returns for each episode the longest wait after it, which at most lasts until the next begins; 0 if nothing waited. */
function recoveriesOf(waits: readonly Wait[], episodes: readonly Span[]): number[] {
  return episodes.map(({ endMs }, index) => {
    const nextMs = episodes[index + 1]?.startMs ?? Infinity;
    return waits
      .filter((wait) => wait.changeEndMs <= endMs + 1_000 && wait.endMs > endMs)
      .map((wait) => Math.min(wait.endMs, nextMs) - Math.max(wait.changeEndMs, endMs))
      .reduce((longestMs, waitMs) => Math.max(longestMs, waitMs), 0);
  });
}

/** Returns 0 if there are none. */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
}
