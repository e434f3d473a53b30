// POST …/changes: a platform whose resources live elsewhere reports a change of one.
import { newId } from '../../lib/platform/ids.ts';
import { limits } from '../../lib/limits.ts';
import { type EventName, eventNames } from '../../lib/model/event-name.ts';
import type { ResourceData } from '../../lib/model/event-payload.ts';
import type { Handler } from '../router.ts';
import { lineField, tenantField } from '../http/text-fields.ts';
import { validator } from '../http/validate.ts';
import { recordChange, recordReport } from './record-change.ts';

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
        uid: lineField(limits.nameCharactersMax),
        externalTenantId: tenantField,
      },
    },
  },
});

/** Records the change as an event and answers 202 with the event's id. Throws `payload_too_large`. */
export const reportChange: Handler<ReportChangeBody> = async (request, context) => {
  const { event, data } = request.body;
  const eventId = newId('evt', context.clock.now());
  const change = { eventId, event, data };
  const answer = { eventId, event, resourceUid: data.uid };
  const { appUid } = request;
  const key = request.idempotencyKey();
  if (key === null) {
    await recordReport(context, appUid, change);
    return { status: 202, body: answer };
  }
  // The key has to be kept with the event, so here they are written together.
  const recorded = await recordChange(context, { appUid, key }, async () => ({
    answer,
    changes: [change],
  }));
  return { status: 202, body: recorded };
};
