// Options that would fail at each call, or never end one, are refused when they are given, without their values.

const timeoutMsMax = 2_147_483_647;

/** Throws `TypeError`. Timers end at once after a longer time than the greatest, and a call is never given up without. */
export function checkLimits({
  timeoutMs,
  retries,
}: {
  timeoutMs: unknown;
  retries: unknown;
}): void {
  if (!isCount(timeoutMs) || timeoutMs < 1 || timeoutMs > timeoutMsMax)
    throw new TypeError(`timeoutMs must be a whole number from 1 to ${timeoutMsMax}`);
  // A page may wait for its stream as long as it is open.
  if (!isCount(retries) && retries !== Number.POSITIVE_INFINITY)
    throw new TypeError('retries must be a whole number from 0 on, or Infinity');
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Checks what is sent in a header or a path. Throws `TypeError`. */
export function checkVisible(name: string, value: unknown, lengthMax = 255): void {
  if (typeof value !== 'string' || value.length > lengthMax || !/^[!-~]+$/.test(value))
    throw new TypeError(
      `${name} must be 1 to ${lengthMax} characters of ASCII, no spaces or line breaks`,
    );
}

/** The service replaces an id of any other form. Throws `TypeError`. */
export function checkRequestId(value: unknown): void {
  if (typeof value !== 'string' || !/^[A-Za-z0-9_-]{8,64}$/.test(value))
    throw new TypeError('requestId must be 8 to 64 letters, digits, _ or -');
}

/** Throws `TypeError`, unless it is left out. */
export function checkFunction(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function')
    throw new TypeError(`${name} must be a function`);
}
