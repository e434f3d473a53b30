// A caller whom a busy service asks to come again.
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from './api-client.ts';
import { waitFor } from './wait-for.ts';

/** Makes a call, again while its answer is 503, when that says so, as a client does; gives the first other answer. */
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
