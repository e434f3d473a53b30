import { setTimeout as delay } from 'node:timers/promises';
import type { ConnectionLike } from '@temporalio/client';
import { searchAttributes } from './search-attributes.ts';
import {
  grpcAlreadyExists,
  grpcInvalidArgument,
  grpcPermissionDenied,
  tolerateStatus,
} from './tolerate-status.ts';

// Indexed by temporal.api.enums.v1.IndexedValueType.
const typesByNumber = [
  'Unspecified',
  'Text',
  'Keyword',
  'Int',
  'Double',
  'Bool',
  'Datetime',
  'KeywordList',
] as const;

const attributeNames = searchAttributes.map(({ name }) => name);

export interface AttributeFault {
  name: string;
  /** The wrong type it is registered with; null if it is missing. */
  registeredAs: string | null;
}

const visibleTimeoutMs = 15_000;
const pollIntervalMs = 20;

/** Returns the search attributes that are missing in a namespace or have another type. */
export async function findAttributeFaults(
  connection: ConnectionLike,
  namespace: string,
): Promise<AttributeFault[]> {
  const listing = connection.operatorService.listSearchAttributes({ namespace });
  const listed = await tolerateStatus(grpcPermissionDenied, listing);
  if (listed === undefined) return findUnknownAttributes(connection, namespace);
  const { customAttributes } = listed;
  return attributeNames.flatMap<AttributeFault>((name) => {
    const number: number | undefined = customAttributes[name];
    if (number === undefined) return [{ name, registeredAs: null }];
    const registeredAs = typesByNumber[number] ?? `number ${number}`;
    return registeredAs === typeOf(name) ? [] : [{ name, registeredAs }];
  });
}

/** Temporal Cloud does not let us list attributes, but refuses queries that name an unknown one. */
async function findUnknownAttributes(
  connection: ConnectionLike,
  namespace: string,
): Promise<AttributeFault[]> {
  const areKnown = async (names: readonly string[]): Promise<boolean> => {
    const query = names.map((name) => `${name} = 'none'`).join(' OR ');
    const counting = connection.workflowService.countWorkflowExecutions({ namespace, query });
    return (await tolerateStatus(grpcInvalidArgument, counting)) !== undefined;
  };
  if (await areKnown(attributeNames)) return [];
  const faults: AttributeFault[] = [];
  for (const name of attributeNames) {
    if (!(await areKnown([name]))) faults.push({ name, registeredAs: null });
  }
  return faults;
}

/** Describes search attributes with a wrong type, which prevent all starts, and the fix; null if there are none. */
export function describeWrongTypes(faults: readonly AttributeFault[]): string | null {
  const wrong = faults.filter(({ registeredAs }) => registeredAs !== null);
  if (wrong.length === 0) return null;
  const texts = wrong.map(
    ({ name, registeredAs }) => `${name} is of type ${registeredAs}, not ${typeOf(name)}`,
  );
  return `${texts.join(', ')}; set TEMPORAL_NAMESPACE to a namespace of the service's own`;
}

/** Registers missing search attributes and waits until usable. Throws on a wrong type, a refusal, or after 15 s. */
export async function ensureSearchAttributes(
  connection: ConnectionLike,
  namespace: string,
): Promise<void> {
  const deadline = performance.now() + visibleTimeoutMs;
  for (;;) {
    const faults = await findAttributeFaults(connection, namespace);
    if (faults.length === 0) return;
    const wrongTypes = describeWrongTypes(faults);
    if (wrongTypes !== null) {
      throw new Error(`the search attributes of namespace ${namespace}: ${wrongTypes}`);
    }
    const names = faults.map(({ name }) => name);
    if (performance.now() > deadline) {
      throw new Error(
        `search attributes of namespace ${namespace} stay invisible: ${names.join()}`,
      );
    }
    await registerSearchAttributes(connection, namespace, names);
    await delay(pollIntervalMs);
  }
}

export async function registerSearchAttributes(
  connection: ConnectionLike,
  namespace: string,
  names: readonly string[] = attributeNames,
): Promise<void> {
  const searchAttributes = Object.fromEntries(
    names.map((name) => [name, typesByNumber.indexOf(typeOf(name))]),
  );
  const adding = connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
  const added = tolerateStatus(grpcAlreadyExists, adding).then(() => true);
  if (await tolerateStatus(grpcPermissionDenied, added)) return;
  const missing = names.map((name) => `${name}=${typeOf(name)}`);
  throw new Error(
    `Temporal does not let us register the search attributes of namespace ${namespace}; ` +
      `add them yourself (docs/deployment.md, "Temporal Cloud"): ${missing.join(', ')}`,
  );
}

function typeOf(name: string): (typeof typesByNumber)[number] {
  const attribute = searchAttributes.find((each) => each.name === name);
  if (attribute?.type === 'TEXT') return 'Text';
  return attribute?.type === 'KEYWORD' ? 'Keyword' : 'KeywordList';
}
