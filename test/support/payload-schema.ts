// Checks payloads against the schemas of the catalogue. Unknown fields are errors here.
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { SchemaObject, ValidateFunction } from 'ajv';
import { schemaOf } from '../../api/event-types/event-catalogue.ts';
import { type DeliveredEventName, deliveredEventNames } from '../../lib/model/event-name.ts';

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text);
const ajv = new Ajv2020({
  strict: true,
  allowUnionTypes: true,
  allErrors: true,
  formats: { 'date-time': isTime },
});
const validators = new Map<DeliveredEventName, ValidateFunction>();

/** Returns what is wrong with the payload of an event. Unknown fields are errors. */
export function payloadFaults(payload: { event: string }): string[] {
  const event = deliveredEventNames.find((each) => each === payload.event);
  if (event === undefined) return [`there is no event ${payload.event}`];
  const validate = validators.get(event) ?? ajv.compile(closed(schemaOf(event)));
  validators.set(event, validate);
  validate(payload);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

function closed(schema: SchemaObject): SchemaObject {
  const { properties } = schema as { properties?: Record<string, SchemaObject> };
  if (properties === undefined) return schema;
  const inner = Object.entries(properties).map(([name, each]) => [name, closed(each)]);
  return { ...schema, properties: Object.fromEntries(inner), additionalProperties: false };
}
