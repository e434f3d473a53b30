import type { DeliveryOutcome } from '../model/delivery-outcome.ts';

type Attempted = Pick<
  DeliveryOutcome,
  'attemptCount' | 'attemptsMax' | 'host' | 'status' | 'errorClass'
>;

/** Describes the last attempt at a delivery, such as `attempt 2 of 9 at hooks.example.com: status 500`. */
export function describeAttempt(outcome: Attempted): string {
  const { attemptCount, attemptsMax, host } = outcome;
  const attempt = `attempt ${attemptCount}${attemptsMax === null ? '' : ` of ${attemptsMax}`}`;
  return `${attempt}${host === null ? '' : ` at ${host}`}: ${describeResult(outcome)}`;
}

/** Describes the result of an attempt; empty if none was made. */
export function describeResult({
  status,
  errorClass,
}: {
  status?: number | null | undefined;
  errorClass?: DeliveryOutcome['errorClass'] | undefined;
}): string {
  if (status != null) return `status ${status}`;
  return errorClass == null ? '' : `no response (${errorClass})`;
}
