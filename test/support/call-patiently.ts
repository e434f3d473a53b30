// A caller whom a busy service asks to come again.
import type { Answer } from './api-client.ts';
import { waitFor } from './wait-for.ts';

/** Makes a call, again while its answer is 503, as a client does; gives the first other answer. */
export async function callPatiently(call: () => Promise<Answer>): Promise<Answer> {
  return waitFor(
    async () => {
      const answer = await call();
      return answer.status !== 503 && answer;
    },
    { what: 'an answer other than 503' },
  );
}
