import { readsOnlyFailures } from '../../lib/jobs/replay/replay-scan.ts';
import { replayedStates } from '../../lib/model/job.ts';
import { validator } from '../http/validate.ts';
import type { Handler } from '../route.ts';
import { webhookUidsField } from '../webhooks/named-webhooks.ts';
import { newReplay, replayFields, type ReplayFields } from './replay-fields.ts';
import { startReplay } from './start-replay.ts';
import { operation, type Operation } from '../http/operation.ts';
import { replayAnswers } from './present-replay.ts';

interface CreateAppReplayBody extends ReplayFields {
  webhookUids?: string[];
}

export const createAppReplayBody = validator<CreateAppReplayBody>({
  required: ['since'],
  properties: {
    // The other states would need a read of all events of the period for each webhook.
    ...replayFields(replayedStates.filter((state) => readsOnlyFailures([state]))),
    webhookUids: webhookUidsField,
  },
});

const facts: Operation = {
  id: 'createReplay',
  summary: 'Replay the events of a period to several webhooks',
  description: 'By default, the replay sends only failed deliveries again, to all webhooks.',
  example: { since: '2026-01-01T00:00:00Z', states: ['exhausted'], dryRun: true },
  answers: replayAnswers,
  problems: ['limit_reached', 'unknown_webhook_uids'],
  takesIdempotencyKey: true,
};

/** Sends each webhook only events that it subscribes to now. Throws `unknown_webhook_uids`, `invalid_request`. */
export const createAppReplay: Handler<CreateAppReplayBody> = operation(
  facts,
  async (request, context) =>
    startReplay(request, context, newReplay(request, context.clock.now())),
);
