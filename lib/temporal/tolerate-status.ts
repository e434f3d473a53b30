import { isGrpcServiceError } from '@temporalio/client';

export const grpcInvalidArgument = 3;
export const grpcNotFound = 5;
export const grpcAlreadyExists = 6;
export const grpcPermissionDenied = 7;

/** Awaits a call to Temporal; returns undefined if it fails with this gRPC status. */
export async function tolerateStatus<Value>(
  status: number,
  call: Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await call;
  } catch (error) {
    const code: number | null = isGrpcServiceError(error) ? error.code : null;
    if (code === status) return undefined;
    throw error;
  }
}
