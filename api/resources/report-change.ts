// POST …/changes: a platform whose resources live elsewhere reports a change of one.
import { limits } from '../../lib/config.ts';
import { eventNames } from '../../lib/events.ts';
import type { EventName, ResourceData } from '../../lib/events.ts';
import { newId } from '../../lib/ids.ts';
import type { Handler } from '../http/router.ts';
import { validator } from '../http/validate.ts';
import { recordChange } from './record-change.ts';

export interface ReportChangeBody {
  event: EventName;
  data: ResourceData;
}

/** `data` is the complete resource; what else it holds is the platform's own. */
export const reportChangeBody = validator<ReportChangeBody>({
  type: 'object',
  additionalProperties: false,
  required: ['event', 'data'],
  properties: {
    event: { type: 'string', enum: [...eventNames] },
    data: {
      type: 'object',
      required: ['uid', 'externalTenantId'],
      properties: {
        uid: { type: 'string', minLength: 1, maxLength: limits.nameCharactersMax },
        externalTenantId: { type: 'string', minLength: 1, maxLength: limits.nameCharactersMax },
      },
    },
  },
});

/** Records the change as an event and answers 202 with the event's id. Throws `payload_too_large`. */
export const reportChange: Handler<ReportChangeBody> = async (request, context) => {
  const { event, data } = request.body;
  const eventId = newId('evt', context.clock.now());
  const answer = await recordChange(context, request, async () => ({
    answer: { eventId, event, resourceUid: data.uid },
    changes: [{ eventId, event, data }],
  }));
  return { status: 202, body: answer };
};
