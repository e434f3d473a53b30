import type { ClientSession } from 'mongodb';
import { AppError } from '../../../lib/platform/errors.ts';
import { limits } from '../../../lib/limits.ts';
import { type ApiKeyDocument, type Scope, scopes } from '../../../lib/model/api-key.ts';
import { within } from '../../../lib/mongo/transaction.ts';
import type { ApiContext } from '../../context.ts';
import { parseTime } from '../../http/query-values.ts';
import type { AdminRequest } from '../../route.ts';
import { lineField, timeField } from '../../http/text-fields.ts';
import { invalidRequest, validator } from '../../http/validate.ts';

export interface CreateApiKeyBody {
  name: string;
  scopes: Scope[];
  expiresAt?: string | null;
}

export const createApiKeyBody = validator<CreateApiKeyBody>({
  required: ['name', 'scopes'],
  properties: {
    name: lineField(limits.nameCharactersMax),
    scopes: {
      type: 'array',
      minItems: 1,
      maxItems: scopes.length,
      uniqueItems: true,
      items: { type: 'string', enum: [...scopes] },
    },
    expiresAt: { ...timeField, type: ['string', 'null'] },
  },
});

/** Parses the expiry of a key; absent or null means never. Throws `invalid_request` for a time in the past. */
export function readExpiry(text: string | null | undefined, now: Date): Date | null {
  if (text === undefined || text === null) return null;
  const expiresAt = parseTime('#/expiresAt', text);
  if (expiresAt > now) return expiresAt;
  const detail = 'expiresAt must be in the future';
  throw invalidRequest([{ pointer: '#/expiresAt', code: 'range', detail }]);
}

/** Reads the key in the path. Throws `not_found`. */
export async function findApiKey(
  { appUid, params }: Pick<AdminRequest, 'appUid' | 'params'>,
  { store }: ApiContext,
  session?: ClientSession,
): Promise<ApiKeyDocument> {
  const filter = { _id: params['keyUid'] ?? '', appUid };
  const key = await store.apiKeys.findOne(filter, within(session));
  if (key === null) throw new AppError('not_found', 'there is no such API key');
  return key;
}
