import { validator } from '../http/validate.ts';
import {
  newReplay,
  type ReplayFields,
  type ReplayPeriod,
  replayPeriod,
  someOf,
} from './replay-fields.ts';
import { startReplay } from './start-replay.ts';
import { recoveredStates } from '../../lib/model/job.ts';
import type { Handler } from '../route.ts';
import { operation, type Operation } from '../http/operation.ts';
import { replayAnswers } from './present-replay.ts';

type RecoverWebhookBody = ReplayPeriod & Pick<ReplayFields, 'states'>;

export const recoverWebhookBody = validator<RecoverWebhookBody>({
  required: ['since'],
  properties: {
    ...replayPeriod,
    states: {
      ...someOf(recoveredStates),
      description:
        'The states of the deliveries to send. The default is the lost ones: `exhausted`, `blocked`, and `cancelled` as `expired` or `abandoned`. `retrying` deliveries are sent now instead of at their next attempt. `held` deliveries are sent if the webhook is active; resume it first.',
    },
  },
});

const facts: Operation = {
  id: 'recoverWebhook',
  summary: 'Send the lost and waiting deliveries of a webhook',
  description:
    'The call starts a replay of the lost deliveries since a time. `states` selects other deliveries, such as `retrying` ones.',
  example: {
    since: '2026-01-01T00:00:00Z',
    states: ['exhausted', 'retrying'],
    dryRun: true,
  },
  answers: replayAnswers,
  takesIdempotencyKey: true,
};

/** Starts a replay, by default of the deliveries that replays select by default. Throws `not_found`, `invalid_request`. */
export const recoverWebhook: Handler<RecoverWebhookBody> = operation(
  facts,
  async (request, context) =>
    startReplay(request, context, newReplay(request, context.clock.now())),
);
