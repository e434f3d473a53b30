import { replayedStates } from '../../lib/model/job.ts';
import type { Handler } from '../route.ts';
import { validator } from '../http/validate.ts';
import { newReplay, replayFields, type ReplayFields } from './replay-fields.ts';
import { startReplay } from './start-replay.ts';
import { operation, type Operation } from '../http/operation.ts';
import { replayAnswers } from './present-replay.ts';

export const createReplayBody = validator<ReplayFields>({
  required: ['since'],
  properties: replayFields(replayedStates),
});

const facts: Operation = {
  id: 'createWebhookReplay',
  summary: 'Replay the events of a period to a webhook',
  description: 'By default, the replay sends only failed deliveries again.',
  example: { since: '2026-01-01T00:00:00Z', states: ['exhausted'], dryRun: true },
  answers: replayAnswers,
  problems: ['limit_reached'],
  takesIdempotencyKey: true,
};

/** Sends only events that the webhook subscribes to now. Throws `not_found`, `invalid_request`. */
export const createReplay: Handler<ReplayFields> = operation(facts, async (request, context) =>
  startReplay(request, context, newReplay(request, context.clock.now())),
);
