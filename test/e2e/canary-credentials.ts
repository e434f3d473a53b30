// Credentials that only their receiver may see, used in the right and in wrong places.
import type { Answer, CallOptions } from '../support/api-client.ts';
import type { ClientPair } from '../support/certificates.ts';

export const headerValue = 'canary-in-a-header-of-a-webhook';
export const bearerToken = 'canary-in-the-bearer-token-of-a-webhook';
export const receiverPassword = 'canary-in-the-password-for-a-receiver';
/** A caller's text as the name of a header. The response repeats it, but the log does not. */
export const misplaced = 'canary (in the name of a header)';

interface Use {
  call: (method: string, path: string, options: CallOptions) => Promise<Answer>;
  /** The path of the webhooks. */
  path: string;
  withKey: Record<string, string>;
  url: string;
  clientPair: ClientPair;
}

/** Registers a webhook with valid and invalid credentials, and changes it. */
export async function useCredentials({ call, path, withKey, url, clientPair }: Use): Promise<void> {
  const good = {
    url,
    entities: ['agent'],
    retrySchedule: ['1s'],
    headers: { 'X-Canary': headerValue },
    auth: { type: 'basic', username: 'canary', password: receiverPassword },
    tls: clientPair,
  };
  const headers = { ...withKey, 'idempotency-key': 'trusted-1' };
  const created = await call('POST', path, { headers, body: good });
  await call('POST', path, { headers, body: good });
  const bad = [
    { headers: { 'X-Canary': `${headerValue}\n` } },
    { headers: { 'X-Canary': [headerValue] } },
    { headers: { [misplaced]: 'v' } },
    { metadata: { [misplaced]: 'v' } },
    { filter: { [misplaced]: {} } },
    { headers: headerValue, auth: `Bearer ${bearerToken}` },
    { auth: { type: 'basic', username: `${receiverPassword}:`, password: '' } },
    { auth: { type: receiverPassword, token: `${bearerToken} ` } },
    { tls: { certificate: clientPair.key, key: clientPair.key } },
    { tls: { ...clientPair, key: clientPair.key.slice(0, -40) } },
    { tls: clientPair.key },
  ];
  for (const body of bad) {
    const answer = await call('POST', path, { headers: withKey, body: { ...good, ...body } });
    expect(answer.status).toBe(400);
  }
  const own = `${path}/${String(created.body['uid'])}`;
  const stolen = { url: 'https://127.0.0.1:1/' };
  expect((await call('PATCH', own, { headers: withKey, body: stolen })).status).toBe(400);
  const auth = { type: 'bearer', token: bearerToken };
  expect((await call('PATCH', own, { headers: withKey, body: { auth } })).status).toBe(200);
}
