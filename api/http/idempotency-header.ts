import { AppError } from '../../lib/platform/errors.ts';
import type { IdempotencyKey } from '../../lib/model/idempotency.ts';
import { idempotencyKey } from '../../lib/mongo/idempotency.ts';
import { headerValues } from './raw-headers.ts';

const acceptable = /^[\x21-\x7e]{1,255}$/;

/** Returns the caller's key, bound to a scope and body, or null. Throws `malformed_request`. */
export function readIdempotencyKey(
  rawHeaders: readonly string[],
  { scope, pepper }: { scope: string; pepper: string },
  body: unknown,
): IdempotencyKey | null {
  const [key, ...more] = headerValues(rawHeaders, 'idempotency-key');
  if (key === undefined) return null;
  if (more.length === 0 && acceptable.test(key)) {
    return idempotencyKey({ scope, header: key, pepper }, body);
  }
  const rule = 'one value of 1 to 255 printable ASCII characters without spaces';
  throw new AppError('malformed_request', `Idempotency-Key must be ${rule}`);
}
