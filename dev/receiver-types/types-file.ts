// Generates TypeScript from the schemas in the catalogue of events.
import { schemaOf } from '../../api/event-types/event-catalogue.ts';
import { type DeliveredEventName, deliveredEventNames } from '../../lib/model/event-name.ts';
import type { Schema } from '../client-types/contract.ts';
import { doc, fieldsOf } from '../client-types/schema-type.ts';

/** Types of `data` by the prefix of the event's name. The first match applies. */
const dataTypes = {
  'webhook.test': 'TestData',
  'agent.': 'AgentData',
  'context.': 'ContextData',
  'contextfile.processing_overdue': 'OverdueFileData',
  'contextfile.': 'ContextFileData',
  'webhook.': 'WebhookNoticeData',
  'delivery.exhausted': 'ExhaustedData',
  'apikey.expiring': 'ExpiringKeyData',
  'user.tokens_revoked': 'RevocationData',
  'user.token_revoked': 'TokenRevocationData',
  'application.tokens_revoked': 'RevocationData',
  'application.key_tokens_revoked': 'KeyRevocationData',
} as const;

const header = `// Written by \`npm run generate\` from the service's schemas of events.

`;
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
  const bodies = events.map((event) => fieldsOf(namedSchema(event).properties['data'] ?? {}));
  if (new Set(bodies).size !== 1) throw new Error(`the events of ${type} differ in their data`);
  return `${doc(`\`data\` of ${events.join(', ')}.`)}export interface ${type} ${bodies[0]}\n\n`;
}

function envelope(): string {
  const schema = namedSchema(deliveredEventNames[0]);
  const own = { event: { $ref: 'Name' }, data: { $ref: 'Data' } };
  const fields = fieldsOf({ ...schema, properties: { ...schema.properties, ...own } });
  return `interface Envelope<Name extends string, Data> ${fields}\n\n`;
}

/** Returns the schema of an event without descriptions, and with the list of all events by its name. */
function namedSchema(event: DeliveredEventName) {
  const text = JSON.stringify(schemaOf(event), (key, value: unknown) =>
    key === 'description' && typeof value === 'string' ? undefined : value,
  );
  const names = `"enum":${JSON.stringify(deliveredEventNames)}`;
  const named = text.replaceAll(names, '"$ref":"KnownEventName"');
  return JSON.parse(named) as { properties: Record<string, Schema> };
}
