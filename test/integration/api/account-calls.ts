// Calls about accounts that several test files make.
import { expect } from 'vitest';
import { decodeJwt } from 'jose';
import type { ApiClient } from '../../support/api-client.ts';
import { callPatiently } from '../../support/call-patiently.ts';

/** Creates an account and returns its uid. */
export async function makeAccount(client: ApiClient, name = 'Account'): Promise<string> {
  const answer = await client.call('POST', '/accounts', { body: { name } });
  expect(answer.status).toBe(201);
  return String(answer.body['uid']);
}

/** Signs a user in, optionally with more accounts. Returns the accounts of the token. */
export async function signIn(
  client: ApiClient,
  externalId: string,
  accountUids: string[] = [],
): Promise<{ userUid: string; accounts: unknown }> {
  const body = { externalId, accountUids };
  const answer = await callPatiently(() => client.call('POST', '/sdkusers/auth', { body }));
  expect(answer.status).toBe(200);
  const { accounts } = decodeJwt(String(answer.body['authToken']));
  return { userUid: String(answer.body['userUid']), accounts };
}
