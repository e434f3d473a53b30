import { type ApiKeyDocument, scopes } from '../../../lib/model/api-key.ts';
import {
  listOf,
  named,
  objectOf,
  oneOfTexts,
  text,
  textOrNull,
  time,
  timeOrNull,
} from '../../http/schemas.ts';

/** Returns the public fields of an API key, which never include its secret. */
export function presentApiKey(key: ApiKeyDocument, now: Date) {
  return {
    uid: key._id,
    keyId: key.keyId,
    name: key.name,
    scopes: key.scopes,
    state: stateOf(key, now),
    createdAt: key.createdAt.toISOString(),
    expiresAt: key.expiresAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
    tokensRevokedAt: key.tokensRevokedAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    rolledTo: key.rolledTo,
  };
}

function stateOf(key: ApiKeyDocument, now: Date): 'active' | 'expired' | 'revoked' {
  if (key.revokedAt !== null) return 'revoked';
  return key.expiresAt !== null && key.expiresAt <= now ? 'expired' : 'active';
}

const properties = {
  uid: text,
  keyId: { ...text, description: 'The public part of the key. Logs show it.' },
  name: text,
  scopes: listOf(oneOfTexts(scopes)),
  state: oneOfTexts(['active', 'expired', 'revoked']),
  createdAt: time,
  expiresAt: timeOrNull,
  revokedAt: timeOrNull,
  tokensRevokedAt: {
    ...timeOrNull,
    description: 'When the tokens from sign-ins with the key were revoked.',
  },
  lastUsedAt: timeOrNull,
  rolledTo: textOrNull,
};

type PresentedKey = ReturnType<typeof presentApiKey>;

export const apiKeySchema = named('ApiKey', objectOf<PresentedKey>(properties));

const apiKey = { ...text, description: 'The secret of the key. It is shown only once.' };

export const createdApiKeySchema = named(
  'CreatedApiKey',
  objectOf<PresentedKey & { apiKey: string }>({ ...properties, apiKey }),
);

export const rolledApiKeySchema = named(
  'RolledApiKey',
  objectOf<PresentedKey & { apiKey: string; previousKey: PresentedKey }>({
    ...properties,
    apiKey,
    previousKey: apiKeySchema,
  }),
);
