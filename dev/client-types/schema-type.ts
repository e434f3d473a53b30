// Generates TypeScript from the JSON Schemas of the contract.
import { errorClasses, statusClasses } from '../../lib/model/attempt.ts';
import { deliveryStates } from '../../lib/model/delivery-state.ts';
import { sendableReasons } from '../../lib/model/cancel-reason.ts';
import {
  deliveredEventNames,
  entities,
  eventNames,
  subscribedEventNames,
} from '../../lib/model/event-name.ts';
import { recoveredStates, replayedStates } from '../../lib/model/job.ts';
import { statisticsIntervals } from '../../lib/model/statistics.ts';
import type { Schema } from './contract.ts';

/** Enumerations that have a name in the client. */
const namedEnums: Readonly<Record<string, readonly string[]>> = {
  Entity: entities,
  ResourceEventName: eventNames,
  SubscribedEventName: subscribedEventNames,
  EventName: deliveredEventNames,
  DeliveryState: deliveryStates,
  ReplayableState: replayedStates,
  RecoverableState: recoveredStates,
  SendableCancelReason: sendableReasons,
  StatusClass: statusClasses,
  ErrorClass: errorClasses,
  Interval: statisticsIntervals,
};

/** Returns the list of each named enumeration, and its type. A list that continues another one spreads it. */
export function namedLists(): string[] {
  return Object.entries(namedEnums).map(([name, values], index, all) => {
    const [begun, first = []] =
      all.slice(0, index).findLast(([, list]) => list.every((value, i) => value === values[i])) ??
      [];
    const own = values.slice(first.length).map((value) => JSON.stringify(value));
    const items = begun === undefined ? own : [`...${listName(begun)}`, ...own];
    const list = listName(name);
    return `export const ${list} = [${items.join(', ')}] as const;\nexport type ${name} = (typeof ${list})[number];\n\n`;
  });
}

/** Returns the plural of the name of a type, such as `entities` of `Entity`. */
function listName(type: string): string {
  const plural = `${type.replace(/y$/, 'ie').replace(/s$/, 'se')}s`;
  return `${plural.slice(0, 1).toLowerCase()}${plural.slice(1)}`;
}

export function doc(text: string | undefined): string {
  return text === undefined ? '' : `/** ${text.replaceAll('*/', '* /')} */\n`;
}

export function literals(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(' | ');
}

export function typeOf(schema: Schema): string {
  const { $ref, const: constant, enum: values, anyOf, oneOf, type } = schema;
  if ($ref !== undefined) return $ref.split('/').at(-1) ?? '';
  if (constant !== undefined) return JSON.stringify(constant);
  if (values !== undefined) return enumOf(values);
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return choices.map(typeOf).join(' | ');
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each })).join(' | ');
  if (type === 'array') return `(${typeOf(schema.items ?? {})})[]`;
  if (type === 'object') return objectOf(schema);
  if (type === 'integer') return 'number';
  return type === undefined ? 'unknown' : String(type);
}

function enumOf(values: readonly unknown[]): string {
  const text = JSON.stringify(values);
  const named = Object.entries(namedEnums).find(([, names]) => JSON.stringify(names) === text);
  return named?.[0] ?? literals(values);
}

function objectOf(schema: Schema): string {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined) return fieldsOf(schema);
  const isTyped = typeof additionalProperties === 'object';
  return `Record<string, ${isTyped ? typeOf(additionalProperties) : 'unknown'}>`;
}

/** Returns the fields of an object in braces. A field is required if both branches of a condition require it. */
export function fieldsOf(schema: Schema): string {
  const { properties = {}, required = [], then, else: otherwise, additionalProperties } = schema;
  const inBoth = (then?.required ?? []).filter((name) => otherwise?.required?.includes(name));
  const always = new Set([...required, ...inBoth]);
  const fields = Object.entries(properties).map(([name, field]) => {
    const { description, ...plain }: Schema = field === true ? {} : field;
    return `${doc(description)}${name}${always.has(name) ? '' : '?'}: ${typeOf(plain)};\n`;
  });
  const isOpen = additionalProperties === undefined && isRequest(schema);
  const others = isOpen ? '[field: string]: unknown;\n' : '';
  return `{\n${fields.join('')}${others}}`;
}

/** Checks whether the service accepts this schema: request objects are closed, except for reported data. */
function isRequest({ properties = {} }: Schema): boolean {
  return Object.values(properties).some((field) => field !== true && 'minLength' in field);
}
