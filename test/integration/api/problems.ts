// The format of every error response of the API, and keys that provoke errors.
import { parseApiKey } from '../../../lib/access/api-key.ts';
import type { ErrorCode } from '../../../lib/platform/errors.ts';
import { type ApiKeyDocument, scopes } from '../../../lib/model/api-key.ts';
import { addApiKey } from '../../../lib/access/api-keys.ts';
import { systemCaller } from '../../../lib/model/audit-log.ts';
import { inTransaction } from '../../../lib/mongo/transaction.ts';
import type { Answer, JsonBody } from '../../support/api-client.ts';
import type { TestService } from '../../support/service.ts';

/** The checked parts of an error response, from the test client or a raw socket. */
export type Refusal = Pick<Answer, 'status' | 'headers' | 'body'>;

/** Checks a complete problem+json response: every member, and the same request ID in header and body. */
export function expectProblem(answer: Refusal, status: number, code: ErrorCode): void {
  expect({ status: answer.status, code: answer.body['code'] }).toEqual({ status, code });
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.body).toMatchObject({
    type: `urn:agent-herald:problem:${code}`,
    title: expect.stringMatching(/\S/),
    status,
    detail: expect.stringMatching(/\S/),
    requestId: expect.stringMatching(/^[A-Za-z0-9_-]{8,64}$/),
  });
  expect(answer.headers.get('x-request-id')).toBe(answer.body['requestId']);
}

/** The detail of a call that is rejected because the process is slow, and not because of the number of calls. */
export const tooSlow = /the process is \d+ ms late|no permit was free within/;

/** Returns the faults of a problem as `pointer code`, in order. */
export function faultsOf(answer: Pick<Answer, 'body'>): string[] {
  const errors = (answer.body['errors'] ?? []) as unknown as { pointer: string; code: string }[];
  return errors.map((error) => `${error.pointer} ${error.code}`);
}

/** Returns the items of a list response. */
export function itemsOf(answer: Pick<Answer, 'body'>): JsonBody[] {
  return answer.body['data'] as unknown as JsonBody[];
}

/** Creates another key of the service's application with changes: revoked, expired, fewer scopes. */
export async function makeKey(
  service: TestService,
  changes: Partial<ApiKeyDocument> = {},
): Promise<string> {
  const { store, app, config } = service;
  const wish = { appUid: app.appUid, name: 'Test key', scopes: [...scopes], expiresAt: null };
  const occasion = { keyPepper: config.keyPepper, caller: systemCaller, now: new Date() };
  const { text } = await inTransaction(store, (session) =>
    addApiKey(store, wish, { ...occasion, session }),
  );
  const keyId = parseApiKey(text)?.keyId ?? '';
  if (Object.keys(changes).length > 0) await store.apiKeys.updateOne({ keyId }, { $set: changes });
  return text;
}
