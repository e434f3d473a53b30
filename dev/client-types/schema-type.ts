// Generates TypeScript from the JSON Schemas of the contract.
import { deliveryStates } from '../../lib/model/delivery-state.ts';
import {
  deliveredEventNames,
  eventNames,
  subscribedEventNames,
} from '../../lib/model/event-name.ts';
import type { Schema } from './contract.ts';

/** Enumerations that have a name in the client. */
export const namedEnums: Readonly<Record<string, readonly string[]>> = {
  ResourceEventName: eventNames,
  SubscribedEventName: subscribedEventNames,
  EventName: deliveredEventNames,
  DeliveryState: deliveryStates,
};

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
