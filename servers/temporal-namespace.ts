// Makes a Temporal namespace with its search attributes where they are missing.
import { setTimeout as delay } from 'node:timers/promises';
import { type Connection, isGrpcServiceError } from '@temporalio/client';
import { msToNumber, msToTs, optionalTsToMs } from '@temporalio/common/lib/time.js';
import { errorCode } from './error-code.ts';

// The numbers of the API's enum IndexedValueType.
const kindNumbers = {
  Text: 1,
  Keyword: 2,
  Int: 3,
  Double: 4,
  Bool: 5,
  Datetime: 6,
  KeywordList: 7,
} as const;

/** What a search attribute holds, in the words the Temporal CLI uses. */
export type SearchAttributeKind = keyof typeof kindNumbers;

const grpcNotFound = 5;
const grpcAlreadyExists = 6;
const retention = '7 days';
const visibleTimeoutMs = 15_000;
const pollIntervalMs = 20;

export interface NamespaceOptions {
  readonly namespace: string;
  readonly searchAttributes: Readonly<Record<string, SearchAttributeKind>>;
}

/**
 * Registers the namespace and its search attributes where missing; workflows can use both on return.
 * A namespace that keeps closed workflows for less than 7 days is made to keep them for so long.
 * Throws when an attribute exists with another kind, or something is not visible within 15 s.
 */
export async function ensureNamespace(
  connection: Connection,
  options: NamespaceOptions,
): Promise<void> {
  const deadline = performance.now() + visibleTimeoutMs;
  await registerIfMissing(connection, options.namespace);
  while (!(await hasAttributes(connection, options))) {
    if (performance.now() > deadline) {
      throw new Error(`namespace ${options.namespace} or its search attributes stay invisible`);
    }
    await delay(pollIntervalMs);
  }
}

async function hasAttributes(connection: Connection, options: NamespaceOptions): Promise<boolean> {
  const missing = await tolerate(grpcNotFound, missingAttributes(connection, options));
  if (missing === undefined) return false;
  if (Object.keys(missing).length === 0) return true;
  const { namespace } = options;
  const added = connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: missing,
  });
  await tolerate(grpcAlreadyExists, tolerate(grpcNotFound, added));
  return false;
}

// Registered without looking first: the server remembers for a second that it did not know a namespace.
async function registerIfMissing(connection: Connection, namespace: string): Promise<void> {
  const registering = connection.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs(retention),
  });
  const registered = await tolerate(grpcAlreadyExists, registering);
  if (registered === undefined) await lengthenRetention(connection, namespace);
}

// The development server brings the namespace `default` along, which keeps closed workflows for a day.
async function lengthenRetention(connection: Connection, namespace: string): Promise<void> {
  const { config } = await connection.workflowService.describeNamespace({ namespace });
  const currentMs = optionalTsToMs(config?.workflowExecutionRetentionTtl) ?? 0;
  if (currentMs >= msToNumber(retention)) return;
  await connection.workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: msToTs(retention) },
  });
}

async function missingAttributes(
  connection: Connection,
  { namespace, searchAttributes }: NamespaceOptions,
): Promise<Record<string, number>> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing: Record<string, number> = {};
  for (const [name, kind] of Object.entries(searchAttributes)) {
    const registered: number | undefined = customAttributes[name];
    if (registered === undefined) missing[name] = kindNumbers[kind];
    else if (registered !== kindNumbers[kind]) {
      throw new Error(
        `search attribute ${name} of namespace ${namespace} exists, but not as ${kind}`,
      );
    }
  }
  return missing;
}

// Gives undefined for the one gRPC status that means another caller was first, or that there is nothing yet.
async function tolerate<Value>(status: number, call: Promise<Value>): Promise<Value | undefined> {
  try {
    return await call;
  } catch (error) {
    if (isGrpcServiceError(error) && errorCode(error) === status) return undefined;
    throw error;
  }
}
