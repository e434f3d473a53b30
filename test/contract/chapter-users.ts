// Users, their tokens, and accounts.
import type { Stage } from './stage.ts';

/** Plays it. */
export async function playUsers(stage: Stage): Promise<void> {
  const accountUid = await playAccounts(stage);
  const { userUid, authToken } = await playSignIn(stage, accountUid);
  await playMembers(stage, { accountUid, userUid });
  const { call } = stage;
  const verify = 'POST …/sdkusers/token/verify';
  await call('a token that is good', verify, { body: { authToken } });
  const agentUid = 'agt_00000000000000000000000000';
  await call('a token for an agent', verify, { body: { authToken, agentUid } });
  await call('a token that is none', verify, { body: { authToken: 'x' } });
  await call('ends the tokens of a user', `POST …/sdkusers/${userUid}/tokens/revoke`);
  await call('a token that was revoked', verify, { body: { authToken } });
  await call('ends all tokens', 'POST …/sdkusers/tokens/revoke');
  await call('lists users', 'GET …/sdkusers');
  await call('finds a user by id', 'GET …/sdkusers?externalId=user-1');
  await call('finds a user by e-mail', 'GET …/sdkusers?email=Ada%40example.com');
  await call('shows a user', `GET …/sdkusers/${userUid}`);
  const user = `…/sdkusers/${userUid}`;
  await call('changes a user', `PATCH ${user}`, { body: { name: 'Grace' } });
  await call('takes the name of a user away', `PATCH ${user}`, { body: { name: null } });
  await call('erases a user', `DELETE ${user}`);
  await call('a user that was erased', `GET ${user}`);
  await call('deletes an account', `DELETE …/accounts/${accountUid}`);
  await call('an account that was deleted', `DELETE …/accounts/${accountUid}`);
}

async function playAccounts({ call }: Stage): Promise<string> {
  const headers = { 'idempotency-key': 'account-1' };
  const body = { name: 'Account' };
  const created = await call('creates an account', 'POST …/accounts', { body, headers });
  await call('the same creation again', 'POST …/accounts', { body, headers });
  const other = { name: 'Other' };
  await call('another creation by the same key', 'POST …/accounts', { body: other, headers });
  const bad = { 'idempotency-key': 'with a space' };
  await call('a key that cannot be one', 'POST …/accounts', { body, headers: bad });
  await call('an account without a name', 'POST …/accounts');
  const account = `…/accounts/${created.body['uid']}`;
  await call('lists accounts', 'GET …/accounts');
  await call('shows an account', `GET ${account}`);
  await call('changes an account', `PATCH ${account}`, { body: other });
  return String(created.body['uid']);
}

async function playSignIn({ call }: Stage, accountUid: string) {
  const signIn = 'POST …/sdkusers/auth';
  const body = { externalId: 'user-1', name: 'Ada', accountUids: [accountUid] };
  const { body: signedIn } = await call('signs a user in', signIn, { body });
  await call('signs the user in again', signIn, { body: { externalId: 'user-1' } });
  await call('signs a user in by e-mail', signIn, { body: { userEmail: 'ada@example.com' } });
  const both = { externalId: 'user-1', userEmail: 'ada@example.com' };
  await call('a user with two identities', signIn, { body: both });
  await call('a user with an address that is none', signIn, { body: { userEmail: 'ada' } });
  const accountUids = ['acc_00000000000000000000000000'];
  const unknown = { externalId: 'user-1', accountUids };
  await call('a user of an account that is not there', signIn, { body: unknown });
  return { userUid: String(signedIn['userUid']), authToken: String(signedIn['authToken']) };
}

async function playMembers(
  { call }: Stage,
  { accountUid, userUid }: { accountUid: string; userUid: string },
): Promise<void> {
  const member = `…/accounts/${accountUid}/members/${userUid}`;
  await call('lists members', `GET …/accounts/${accountUid}/members`);
  await call('takes a member out', `DELETE ${member}`);
  await call('takes out who is no member', `DELETE ${member}`);
  await call('adds a member', `PUT ${member}`);
  await call('adds a member again', `PUT ${member}`);
}
