// All events that webhooks can get: the meaning, schema and sample of each.
import type { SchemaObject } from 'ajv';
import {
  type DeliveredEventName,
  deliveredEventNames,
  entityOf,
  type EventName,
  isOperationsEvent,
  type OperationsEventName,
  testEventName,
} from '../../lib/model/event-name.ts';
import { renderPayload, withSequence } from '../../lib/model/event-payload.ts';
import { countFromOne, objectOf, text, time } from '../http/schemas.ts';
import { type EventData, sampleTime, sampleUid } from './event-data.ts';
import { noticeData } from './notice-data.ts';
import { resourceData } from './resource-data.ts';

const changed = {
  created: 'was created',
  updated: 'was changed',
  deleted: 'was deleted. `data` contains its state before that',
} as const;
const numbered =
  'The number of the change among the changes of one resource, like `X-Webhook-Sequence`. Absent in a test.';
const sampleSequence = 7;
const nouns = { agent: 'An agent', context: 'A context', contextfile: 'A context file' };
const asReported =
  'For a change that the platform reported (POST …/changes), `data` is the reported resource. Then only `uid` and `externalTenantId` are certain to be present.';

const noticed: Readonly<Record<OperationsEventName, string>> = {
  'webhook.failing': 'No delivery to a webhook has succeeded for some minutes.',
  'webhook.deactivation_scheduled':
    'A webhook will be deactivated soon, unless a delivery succeeds first.',
  'webhook.deactivated':
    'A webhook was deactivated because it failed for days or its receiver responded with 410.',
  'webhook.recovered': 'A failing webhook works again.',
  'delivery.exhausted':
    'A delivery has no attempts left. There is at most one such notice per webhook and minute.',
  'apikey.expiring': 'An API key expires within seven days.',
  'contextfile.processing_overdue':
    'A context file has had the status `processing` for longer than the service expects (HERALD_PROCESSING_OVERDUE_AFTER).',
  'user.tokens_revoked':
    'The tokens of a user were revoked, or the user was deleted. A webhook gets it only if its `events` name it.',
  'user.token_revoked':
    'One token of a user was revoked. A webhook gets it only if its `events` name it.',
  'application.tokens_revoked':
    'The tokens of all users were revoked, or the application was disabled or enabled. A webhook gets it only if its `events` name it.',
  'application.key_tokens_revoked':
    'An API key was revoked together with the tokens from its sign-ins. A webhook gets it only if its `events` name it.',
};

interface TestData {
  uid: string;
  externalTenantId: 'test';
  test: true;
}

/** The body of a test without a sample. */
export function testDataOf(webhookUid: string): TestData {
  return { uid: webhookUid, externalTenantId: 'test', test: true };
}

const test: EventData = {
  schema: objectOf<TestData>({
    uid: text,
    externalTenantId: { const: 'test' },
    test: { const: true },
  }),
  sampleOf: () => ({ ...testDataOf(sampleUid('whk')) }),
};

function dataOf(event: DeliveredEventName): EventData {
  if (event === testEventName) return test;
  return isOperationsEvent(event) ? noticeData[event] : resourceData[entityOf(event)];
}

export function describeEvent(event: DeliveredEventName): string {
  if (event === testEventName) return 'Somebody requested a test of this webhook.';
  return isOperationsEvent(event) ? noticed[event] : describeChange(event);
}

function describeChange(event: EventName): string {
  const entity = entityOf(event);
  const kind = event.slice(entity.length + 1) as keyof typeof changed;
  return `${nouns[entity]} ${changed[kind]}.`;
}

function isChange(event: DeliveredEventName): event is EventName {
  return event !== testEventName && !isOperationsEvent(event);
}

/** Returns the `data` of an event's sample for an application. */
export function sampleDataOf(event: DeliveredEventName, appUid: string) {
  return dataOf(event).sampleOf(appUid);
}

/** Returns the JSON Schema of the complete payload of an event. */
export function schemaOf(event: DeliveredEventName): SchemaObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: event,
    type: 'object',
    properties: {
      eventId: text,
      event: { const: event },
      timestamp: time,
      appUid: text,
      version: { const: 1 },
      test: { const: true, description: 'Present only in a test. `data` is then a sample.' },
      data: { ...dataOf(event).schema, ...(isChange(event) ? { description: asReported } : {}) },
      ...(isChange(event) ? { sequence: { ...countFromOne, description: numbered } } : {}),
    },
    required: ['eventId', 'event', 'timestamp', 'appUid', 'version', 'data'],
  };
}

export function eventTypesOf(appUid: string) {
  return deliveredEventNames.map((event) => ({
    event,
    description: describeEvent(event),
    schema: schemaOf(event),
    sample: sampleOf(event, appUid),
  }));
}

function sampleOf(event: DeliveredEventName, appUid: string): unknown {
  const body = renderPayload({
    eventId: sampleUid('evt'),
    event,
    timestamp: new Date(sampleTime),
    appUid,
    data: sampleDataOf(event, appUid),
    isTest: event === testEventName,
  });
  return JSON.parse(isChange(event) ? withSequence(body, sampleSequence) : body);
}
