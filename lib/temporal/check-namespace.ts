import type { ConnectionLike } from '@temporalio/client';
import { isGrpcServiceError } from '@temporalio/client';
import { grpcNotFound } from './tolerate-status.ts';

const responseTimeoutMs = 15_000;

interface NamespaceAddress {
  address: string;
  namespace: string;
}

/** Returns an error that says which Temporal server cannot be reached. */
export function unreachable({ address }: Pick<NamespaceAddress, 'address'>, cause: unknown): Error {
  const message = `Temporal at ${address} cannot be reached; is it running, and TEMPORAL_ADDRESS right?`;
  return new Error(message, { cause });
}

/** Throws an error that says what to do if the namespace is missing or refused. */
export async function checkNamespace(
  connection: ConnectionLike,
  { address, namespace }: NamespaceAddress,
): Promise<void> {
  try {
    await connection.withDeadline(Date.now() + responseTimeoutMs, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
  } catch (cause) {
    throw new Error(describe(cause, { address, namespace }), { cause });
  }
}

function describe(error: unknown, { address, namespace }: NamespaceAddress): string {
  const code: number | null = isGrpcServiceError(error) ? error.code : null;
  if (code === grpcNotFound) {
    const make = `temporal operator namespace create --address ${address} --namespace ${namespace} --retention 7d`;
    return `Temporal at ${address} has no namespace "${namespace}"; set TEMPORAL_NAMESPACE, or make it: ${make}`;
  }
  const why = isGrpcServiceError(error) ? error.details : String(error);
  return `Temporal at ${address} does not let us use the namespace "${namespace}": ${why}`;
}
