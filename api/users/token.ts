import { type IssuedToken, tokenUidOf } from '../../lib/model/token.ts';
import { named, objectOf, text, textOrNull, time } from '../http/schemas.ts';

export function presentToken(token: IssuedToken) {
  return {
    uid: tokenUidOf(token),
    apiKeyUid: token.apiKeyUid,
    externalTenantId: token.externalTenantId,
    issuedAt: token.issuedAt.toISOString(),
    expiresAt: token.expiresAt.toISOString(),
  };
}

export const tokenSchema = named(
  'UserToken',
  objectOf<ReturnType<typeof presentToken>>({
    uid: { ...text, description: 'The claim `jti` of the token.' },
    apiKeyUid: { ...text, description: 'The API key that signed the user in.' },
    externalTenantId: textOrNull,
    issuedAt: time,
    expiresAt: time,
  }),
);
