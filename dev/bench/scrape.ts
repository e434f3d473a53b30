import { setTimeout as sleep } from 'node:timers/promises';

const everyMs = 15_000;

/** Reads pages of metrics as Prometheus would, until `signal` aborts. Never rejects. */
export async function scrape(urls: readonly string[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted && urls.length > 0) {
    await Promise.allSettled(urls.map(async (url) => (await fetch(url, { signal })).text()));
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
}
