// Generates TypeScript from the schemas in the catalogue of events.
import type { SchemaObject } from 'ajv';
import { schemaOf } from '../../api/event-types/event-catalogue.ts';
import { type DeliveredEventName, deliveredEventNames } from '../../lib/model/event-name.ts';

/** Types of `data` by the prefix of the event's name. The first match applies. */
const dataTypes = {
  'webhook.test': 'TestData',
  'agent.': 'AgentData',
  'context.': 'ContextData',
  'contextfile.': 'ContextFileData',
  'webhook.': 'WebhookNoticeData',
  'delivery.exhausted': 'ExhaustedData',
  'apikey.expiring': 'ExpiringKeyData',
  'user.tokens_revoked': 'RevocationData',
  'application.tokens_revoked': 'RevocationData',
} as const;

const header = `// Written by \`npm run generate\` from the service's schemas of events.

`;
const doc = (text: string): string => `/** ${text} */\n`;
const reported = `/**
 * All events of this release. For changes that your platform reported, \`data\` is what it reported, and only
 * \`uid\` and \`externalTenantId\` are guaranteed.
 */
`;

/** Returns the unformatted text of `packages/receiver-ts/src/events.ts`. */
export function typesFile(): string {
  const names = deliveredEventNames.map((event) => `  '${event}',\n`).join('');
  const union = deliveredEventNames.map(
    (event) => `  | Envelope<'${event}', ${dataTypeOf(event)}>\n`,
  );
  return [
    header,
    ...[...new Set(Object.values(dataTypes))].map(dataType),
    envelope(),
    reported,
    `export type KnownEvent =\n${union.join('')};\n\n`,
    `export const knownEventNames = [\n${names}] as const;\n`,
    'export type KnownEventName = (typeof knownEventNames)[number];\n',
  ].join('');
}

function dataTypeOf(event: DeliveredEventName): string {
  const type = Object.entries(dataTypes).find(([start]) => event.startsWith(start))?.[1];
  if (type === undefined) throw new Error(`${event} has no name for the type of its data`);
  return type;
}

/** Throws if two events of one type have different schemas. */
function dataType(type: string): string {
  const events = deliveredEventNames.filter((event) => dataTypeOf(event) === type);
  const bodies = events.map((event) => fieldsOf(propertiesOf(schemaOf(event))['data'] ?? {}));
  if (new Set(bodies).size !== 1) throw new Error(`the events of ${type} differ in their data`);
  return `${doc(`\`data\` of ${events.join(', ')}.`)}export interface ${type} ${bodies[0]}\n\n`;
}

function envelope(): string {
  const { properties, ...schema } = schemaOf(deliveredEventNames[0]);
  const common = { ...(properties as Record<string, SchemaObject>) };
  const own = { event: { $ref: 'Name' }, data: { $ref: 'Data' } };
  const fields = fieldsOf({ ...schema, properties: { ...common, ...own } });
  return `interface Envelope<Name extends string, Data> ${fields}\n\n`;
}

function propertiesOf(schema: SchemaObject): Record<string, SchemaObject> {
  return (schema['properties'] ?? {}) as Record<string, SchemaObject>;
}

function fieldsOf(schema: SchemaObject): string {
  const required = (schema['required'] ?? []) as string[];
  const fields = Object.entries(propertiesOf(schema)).map(
    ([name, field]) => `${name}${required.includes(name) ? '' : '?'}: ${typeOf(field)};\n`,
  );
  return `{\n${fields.join('')}}`;
}

function isEqual(values: unknown, names: readonly string[]): boolean {
  return JSON.stringify(values) === JSON.stringify(names);
}

function typeOf(schema: SchemaObject): string {
  const { $ref, const: constant, enum: values, type, items } = schema;
  if (typeof $ref === 'string') return $ref;
  if (constant !== undefined) return JSON.stringify(constant);
  if (isEqual(values, deliveredEventNames)) return 'KnownEventName';
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(type)) return type.map((each) => typeOf({ type: each })).join(' | ');
  if (type === 'array') return `(${typeOf(items as SchemaObject)})[]`;
  if (type === 'object') return fieldsOf(schema);
  if (type === 'integer') return 'number';
  if (type === 'string' || type === 'boolean' || type === 'null') return type;
  throw new Error(`no type for ${JSON.stringify(schema)}`);
}
