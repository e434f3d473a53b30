import { jwksCachedMs } from '../../lib/identity/key-rotation.ts';
import { userTokenAlgorithm } from '../../lib/identity/user-token.ts';
import { entityTagOf } from '../http/entity-tag.ts';
import { operation, type Operation } from '../http/operation.ts';
import { listOf, named, objectOf, oneOfTexts, text } from '../http/schemas.ts';
import type { Handler } from '../route.ts';

/** The fields of OpenID Connect Discovery 1.0 §3 that apply to a service without sign-in pages. */
interface OpenidConfiguration {
  issuer: string;
  jwks_uri: string;
  id_token_signing_alg_values_supported: string[];
  subject_types_supported: string[];
}

const configurationSchema = named(
  'OpenidConfiguration',
  objectOf<OpenidConfiguration>({
    issuer: { ...text, description: 'The `iss` of the user tokens of all applications.' },
    jwks_uri: text,
    id_token_signing_alg_values_supported: listOf(oneOfTexts([userTokenAlgorithm])),
    subject_types_supported: listOf(oneOfTexts(['public'])),
  }),
);

const facts: Operation = {
  id: 'getOpenidConfiguration',
  summary: 'Get the OpenID configuration',
  description: 'Verifiers of user tokens find the keys here (OpenID Connect Discovery).',
  answers: {
    200: { description: 'The configuration', schema: configurationSchema, headers: ['etag'] },
    304: { description: 'Not modified: your copy is current' },
  },
};

const cacheControl = `public, max-age=${jwksCachedMs / 1_000}`;

/** Returns the document that JWT authorizers read at `{issuer}/.well-known/openid-configuration`. */
export const getOpenidConfiguration: Handler = operation(facts, async (_request, { config }) => {
  const { publicUrl } = config.http;
  const body: OpenidConfiguration = {
    issuer: publicUrl,
    jwks_uri: `${publicUrl}/.well-known/jwks.json`,
    id_token_signing_alg_values_supported: [userTokenAlgorithm],
    subject_types_supported: ['public'],
  };
  const headers = { 'cache-control': cacheControl, etag: entityTagOf(JSON.stringify(body)) };
  return { status: 200, body, headers };
});
