// The turns of first attempts and retries at slow receivers, with the real numbers.
import { expect, test } from '@jest/globals';
import { createTurnTaker } from '../../../lib/net/take-turns.ts';
import type { TurnTaker } from '../../../lib/net/take-turns.ts';
import type { Turn } from '../../../lib/net/send-turns.ts';

const url = new URL('https://hooks.example.com/');
const turnsOfWebhook = 24;
const turnsOfOrigin = 32;

const retry = (turns: TurnTaker, webhookUid: string): Promise<Turn> =>
  turns.take(url, { webhookUid });
const firstAttempt = (turns: TurnTaker, webhookUid: string): Promise<Turn> =>
  turns.take(url, { webhookUid, avoidsSlow: true });

/** Begins so many requests of a webhook and waits until all of them are late. */
async function leaveUnanswered(
  turns: TurnTaker,
  webhookUid: string,
  count: number,
): Promise<Turn[]> {
  const late = await Promise.all(Array.from({ length: count }, () => retry(turns, webhookUid)));
  for (const turn of late) turn.begin();
  // As many as may go at once: they come when all before them are late.
  const next = Array.from({ length: turnsOfWebhook }, () => retry(turns, webhookUid));
  for (const turn of await Promise.all(next)) turn.leave();
  return late;
}

test('first attempts go to a receiver that takes more than a second, until 24 requests of the webhook are late', async () => {
  const turns = createTurnTaker();
  await leaveUnanswered(turns, 'slow', turnsOfWebhook - 1);
  (await firstAttempt(turns, 'slow')).leave();

  const [last] = await leaveUnanswered(turns, 'slow', 1);
  await expect(firstAttempt(turns, 'slow')).rejects.toMatchObject({ code: 'NO_TURN' });
  // A retry takes the turn that is free.
  (await retry(turns, 'slow')).leave();

  last?.leave();
  (await firstAttempt(turns, 'slow')).leave();
});

test('a webhook at the origin of a slow one finds turns of the origin, which the slow one never has all of', async () => {
  const turns = createTurnTaker();
  await leaveUnanswered(turns, 'slow', turnsOfWebhook);
  // More of the origin's requests are late than may go at once, and the slow webhook takes all that it may.
  await leaveUnanswered(turns, 'slow', turnsOfWebhook);
  const going = Array.from({ length: turnsOfWebhook }, () => retry(turns, 'slow'));
  await Promise.all(going);
  const others = Array.from({ length: turnsOfOrigin - turnsOfWebhook }, () =>
    firstAttempt(turns, 'quick'),
  );
  for (const turn of await Promise.all(others)) turn.leave();
});
