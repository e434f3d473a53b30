// A small OpenID provider for tests: real discovery, keys, codes and ID tokens, and ways to misbehave.
import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';
import { listen } from './receivers.ts';

export const clientId = 'agent-herald';
export const clientSecret = 'a client secret that is long enough';

export interface TestProvider extends AsyncDisposable {
  issuer: string;
  /** Claims that replace the default ones in later sign-ins. */
  claims: Record<string, unknown>;
  /** The response of the userinfo endpoint. */
  userInfo: Record<string, unknown>;
  /** True signs the claims with a key that the provider does not publish. */
  forged: boolean;
  /** The errors of the token endpoint, in words. */
  refusals: string[];
  /** Makes the provider respond to no request. */
  silent: boolean;
  /** A status and body for the token endpoint to return, as HTML if the body is not JSON. */
  tokenFault: [status: number, body: string] | null;
}

interface Grant {
  redirectUri: string;
  codeChallenge: string;
  nonce: string;
  claims: Record<string, unknown>;
}

/** Starts a provider at which the user is always signed in and consents to everything. */
export async function startIdentityProvider(): Promise<TestProvider> {
  const [own, foreign] = [await generateKeyPair('RS256'), await generateKeyPair('RS256')];
  const jwk = { ...(await exportJWK(own.publicKey)), kid: 'k1', alg: 'RS256', use: 'sig' };
  const grants = new Map<string, Grant>();

  function authorize(query: URLSearchParams): string {
    const redirectUri = query.get('redirect_uri') ?? '';
    const sent = [query.get('client_id'), query.get('response_type'), query.get('scope')];
    if (sent.join('|') !== `${clientId}|code|openid email`) throw new Error('bad request');
    if (query.get('code_challenge_method') !== 'S256') throw new Error('PKCE is missing');
    const code = randomUUID();
    const codeChallenge = query.get('code_challenge') ?? '';
    const nonce = query.get('nonce') ?? '';
    grants.set(code, { redirectUri, codeChallenge, nonce, claims: provider.claims });
    const back = new URL(redirectUri);
    back.searchParams.set('code', code);
    back.searchParams.set('state', query.get('state') ?? '');
    return back.href;
  }

  async function redeem(form: URLSearchParams): Promise<Record<string, unknown>> {
    const grant = grants.get(form.get('code') ?? '');
    grants.delete(form.get('code') ?? '');
    const verifier = form.get('code_verifier') ?? '';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const client = [form.get('client_id'), form.get('client_secret')].join('|');
    if (client !== `${clientId}|${clientSecret}`) throw new Error('invalid_client');
    if (grant === undefined) throw new Error('unknown code');
    if (grant.codeChallenge !== challenge) throw new Error('wrong verifier');
    if (grant.redirectUri !== form.get('redirect_uri')) throw new Error('wrong redirect_uri');
    const seconds = Math.floor(Date.now() / 1_000);
    const standard = { iss: provider.issuer, aud: clientId, sub: 'user-1', nonce: grant.nonce };
    const times = { iat: seconds, exp: seconds + 60 };
    const idToken = await new SignJWT({ ...standard, ...times, ...grant.claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'k1' })
      .sign(provider.forged ? foreign.privateKey : own.privateKey);
    return { access_token: randomUUID(), token_type: 'Bearer', expires_in: 60, id_token: idToken };
  }

  const server = createServer((request, response) => {
    if (provider.silent) return;
    const url = new URL(request.url ?? '/', provider.issuer);
    const json = (body: unknown, status = 200): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (url.pathname === '/authorize') {
      response.writeHead(302, { location: authorize(url.searchParams) }).end();
    } else if (url.pathname === '/token' && provider.tokenFault !== null) {
      const [status, body] = provider.tokenFault;
      const type = body.startsWith('{') ? 'application/json' : 'text/html';
      response.writeHead(status, { 'content-type': type }).end(body);
    } else if (url.pathname === '/token') {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        redeem(new URLSearchParams(body)).then(json, (error: Error) => {
          provider.refusals.push(error.message);
          json({ error: 'invalid_grant' }, 400);
        });
      });
    } else if (url.pathname === '/userinfo') json(provider.userInfo);
    else if (url.pathname === '/jwks') json({ keys: [jwk] });
    else if (url.pathname === '/.well-known/openid-configuration') json(metadata(provider.issuer));
    else json({}, 404);
  });
  const listening = await listen(server);
  const provider: TestProvider = {
    issuer: listening.url,
    claims: {},
    userInfo: {},
    forged: false,
    refusals: [],
    silent: false,
    tokenFault: null,
    [Symbol.asyncDispose]: () => listening[Symbol.asyncDispose](),
  };
  return provider;
}

function metadata(issuer: string): Record<string, unknown> {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    jwks_uri: `${issuer}/jwks`,
    token_endpoint_auth_methods_supported: ['client_secret_post'],
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
  };
}
