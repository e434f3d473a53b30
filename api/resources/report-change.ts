import { limits } from '../../lib/limits.ts';
import { entityOf, type EventName, eventNames } from '../../lib/model/event-name.ts';
import type { ResourceData } from '../../lib/model/event-payload.ts';
import type { Handler } from '../route.ts';
import { identifierField, tenantField } from '../http/text-fields.ts';
import { validator } from '../http/validate.ts';
import { checkPayloadSize } from '../changes/payload-size.ts';
import { recordChange, recordReport } from '../changes/record-change.ts';
import { named, objectOf, oneOfTexts, text } from '../http/schemas.ts';
import { operation, type Operation } from '../http/operation.ts';
import { writtenObject } from '../http/written-object.ts';

interface ReportChangeBody {
  event: EventName;
  data: ResourceData;
}

export const reportChangeBody = validator<ReportChangeBody>({
  required: ['event', 'data'],
  properties: {
    event: { type: 'string', enum: [...eventNames] },
    data: {
      type: 'object',
      description:
        'The complete resource. It is sent byte for byte as written. You choose the other fields.',
      required: ['uid', 'externalTenantId'],
      properties: { uid: identifierField(limits.nameCharactersMax), externalTenantId: tenantField },
    },
  },
});

const reportedSchema = named(
  'ReportedChange',
  objectOf<{ eventId: string; event: string; resourceUid: string }>({
    eventId: text,
    event: oneOfTexts(eventNames),
    resourceUid: text,
  }),
);

const facts: Operation = {
  id: 'reportChange',
  summary: 'Report a change',
  description: 'The changed resource is stored on your platform, not in this service.',
  example: {
    event: 'agent.updated',
    data: { uid: 'agent-17', externalTenantId: 'tenant-1', agentName: 'Support' },
  },
  answers: { 202: { description: 'The event, which is being delivered', schema: reportedSchema } },
  takesIdempotencyKey: true,
};

/** Throws `payload_too_large`. */
export const reportChange: Handler<ReportChangeBody> = operation(
  facts,
  async (request, context) => {
    const { appUid, body } = request;
    const { event, data } = body;
    const facts = { event, resourceUid: data.uid };
    const change = { event, data, dataText: writtenObject(request.bodyText, 'data') };
    // Here, because in its transaction or insert it would delay the changes of others.
    checkPayloadSize(appUid, change);
    const key = request.idempotencyKey();
    if (key === null) {
      const eventId = await recordReport(context, appUid, change);
      return { status: 202, body: { eventId, ...facts } };
    }
    // The key and the event must be committed together.
    const recording = { appUid, key, entities: [entityOf(event)] };
    const answer = await recordChange(context, recording, async (_session, _now, eventId) => ({
      answer: { eventId, ...facts },
      changes: [change],
    }));
    return { status: 202, body: answer };
  },
);
