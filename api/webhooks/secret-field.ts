// The field `secret`: a receiver may bring its own secret.
import type { AppError, FaultCode } from '../../lib/platform/errors.ts';
import { secretShape, weaknessOf } from '../../lib/webhooks/given-secret.ts';
import { newWebhookSecret } from '../../lib/webhooks/signature.ts';
import { invalidRequest } from '../http/validate.ts';

export const secretField = {
  type: 'string',
  published: { pattern: secretShape.source },
  description:
    'A secret that your receiver generated: `whsec_` followed by 24 to 64 random bytes in base64. By default, the service generates one.',
};

/**
 * Returns the given secret, or a new one. `used` returns the secrets that a rotation replaces. Throws `invalid_request`.
 */
export function acceptSecret(
  given: string | undefined,
  used: () => readonly string[] = () => [],
): string {
  if (given === undefined) return newWebhookSecret();
  const bytes = 'whsec_ followed by 24 to 64 bytes in base64';
  if (!secretShape.test(given)) throw refuse('format', `must be ${bytes}`);
  const weakness = weaknessOf(given);
  if (weakness !== null) throw refuse('weak_secret', `${weakness}; generate random bytes`);
  if (used().includes(given)) throw refuse('repeated', 'must differ from the old secrets');
  return given;
}

function refuse(code: FaultCode, detail: string): AppError {
  return invalidRequest([{ pointer: '#/secret', code, detail: `secret ${detail}` }]);
}
