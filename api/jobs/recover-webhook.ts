import { validator } from '../http/validate.ts';
import { newReplay, type ReplayPeriod, replayPeriod } from './replay-fields.ts';
import { startReplay } from './start-replay.ts';
import type { Handler } from '../router.ts';
import { operation, type Operation } from '../http/operation.ts';
import { replayAnswers } from './present-replay.ts';

export const recoverWebhookBody = validator<ReplayPeriod>({
  required: ['since'],
  properties: replayPeriod,
});

const facts: Operation = {
  id: 'recoverWebhook',
  summary: 'Resend the lost deliveries of a webhook',
  description:
    'The call starts a replay of the exhausted, blocked, expired and abandoned deliveries since a time.',
  example: { since: '2026-01-01T00:00:00Z', dryRun: true },
  answers: replayAnswers,
  takesIdempotencyKey: true,
};

/** Starts a replay of the deliveries that replays select by default. Throws `not_found`, `invalid_request`. */
export const recoverWebhook: Handler<ReplayPeriod> = operation(facts, async (request, context) =>
  startReplay(request, context, newReplay(request, context.clock.now())),
);
