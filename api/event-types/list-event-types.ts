import type { Handler } from '../route.ts';
import { eventTypesOf } from './event-catalogue.ts';
import { listOf, named, objectOf, oneOfTexts, text } from '../http/schemas.ts';
import { operation, type Operation } from '../http/operation.ts';
import { deliveredEventNames } from '../../lib/model/event-name.ts';

const eventTypesSchema = named(
  'EventTypes',
  objectOf<{ data: unknown }>({
    data: listOf(
      named(
        'EventType',
        objectOf<ReturnType<typeof eventTypesOf>[number]>({
          event: oneOfTexts(deliveredEventNames),
          description: text,
          schema: { type: 'object', description: 'The JSON Schema of the payload.' },
          sample: { type: 'object' },
        }),
      ),
    ),
  }),
);

const facts: Operation = {
  id: 'listEventTypes',
  summary: 'List event types',
  description: 'Each type has a schema and a sample.',
  answers: { 200: { description: 'All event types', schema: eventTypesSchema } },
};

export const listEventTypes: Handler = operation(facts, async ({ appUid }) => ({
  status: 200,
  body: { data: eventTypesOf(appUid) },
}));
