// A client that honours the Retry-After of a busy service.
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from './api-client.ts';
import { waitFor } from './wait-for.ts';

/** Makes a call, and repeats it after the Retry-After of each 503. Returns the first other response. */
export async function callPatiently(call: () => Promise<Answer>): Promise<Answer> {
  return waitFor(
    async () => {
      const answer = await call();
      if (answer.status !== 503) return answer;
      await delay(1_000 * Number(answer.headers.get('retry-after') ?? 0));
      return false;
    },
    { what: 'an answer other than 503' },
  );
}
