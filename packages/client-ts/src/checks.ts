// Options are checked on construction, before a call fails or hangs because of them. Errors never show the values.

const timeoutMsMax = 2_147_483_647;

/** Throws `TypeError`. Timers fire immediately above the maximum, and a call without a timeout could hang forever. */
export function checkLimits({
  timeoutMs,
  retries,
}: {
  timeoutMs: unknown;
  retries: unknown;
}): void {
  if (!isCount(timeoutMs) || timeoutMs < 1 || timeoutMs > timeoutMsMax)
    throw new TypeError(`timeoutMs must be a whole number from 1 to ${timeoutMsMax}`);
  // A page can wait for its stream for as long as it is open.
  if (!isCount(retries) && retries !== Number.POSITIVE_INFINITY)
    throw new TypeError('retries must be a whole number from 0 on, or Infinity');
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Checks a value that is sent in a header or a path. Throws `TypeError`. */
export function checkVisible(name: string, value: unknown, lengthMax = 255): void {
  if (typeof value !== 'string' || value.length > lengthMax || !/^[!-~]+$/.test(value))
    throw new TypeError(
      `${name} must be 1 to ${lengthMax} characters of ASCII, no spaces or line breaks`,
    );
}

/** Checks the form of an ID, because the service would replace any other. Throws `TypeError`. */
export function checkRequestId(value: unknown): void {
  if (typeof value !== 'string' || !/^[A-Za-z0-9_-]{8,64}$/.test(value))
    throw new TypeError('requestId must be 8 to 64 letters, digits, _ or -');
}

/** Checks an optional signal. Throws `TypeError`. */
export function checkSignal(value: unknown): void {
  if (value !== undefined && value !== null && !(value instanceof AbortSignal))
    throw new TypeError('signal must be an AbortSignal');
}

/** Checks an optional function. Throws `TypeError`. */
export function checkFunction(name: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function')
    throw new TypeError(`${name} must be a function`);
}
