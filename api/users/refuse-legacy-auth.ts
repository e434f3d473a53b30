// POST /api-authenticate-embedded-user: the retired flow; 410 with a link to docs/migration.md.
import { HttpError } from '../http/problems.ts';
import type { Handler } from '../route.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'legacyAuth',
  summary: 'Sign in through the retired flow',
  description: 'The response is always 410.',
  answers: {},
  problems: ['legacy_auth_retired'],
};

export const refuseLegacyAuth: Handler = operation(facts, (_request, context) => {
  const migrationUrl = `${context.config.http.publicUrl}/docs/migration`;
  const detail =
    'get a new API key (CONFIGURE, API Management) and call POST ' +
    `/api/v1/appuid/{appUid}/sdkusers/auth with it in x-api-key; step by step: ${migrationUrl}`;
  throw new HttpError('legacy_auth_retired', detail, {
    headers: { link: `<${migrationUrl}>; rel="deprecation"; type="text/markdown"` },
  });
});
