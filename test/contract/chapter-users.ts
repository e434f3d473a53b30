// Users, their tokens, and accounts; agents, contexts, files, and changes that are reported.
import { decodeJwt } from 'jose';
import { rowOf } from '../integration/api/token-forge.ts';
import type { Stage } from './stage.ts';

/** Plays users and accounts. */
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
  const ofUser = `…/sdkusers/${userUid}/tokens`;
  await rowOf(stage.service, authToken);
  await call('lists the tokens of a user', `GET ${ofUser}?limit=1`);
  await call('ends one token', `POST ${ofUser}/${decodeJwt(authToken).jti}/revoke`);
  await call('a token to end that is none', `POST ${ofUser}/tok_none/revoke`);
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
  const limited = { externalId: 'user-1', externalTenantId, expiresInSeconds: 60 };
  await call('signs a user in for a tenant and a minute', signIn, { body: limited });
  const long = { externalId: 'user-1', expiresInSeconds: 3_601 };
  await call('a sign-in for more than an hour', signIn, { body: long });
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

const externalTenantId = 'tenant-1';

/** Plays agents, contexts, files, and changes that are reported. */
export async function playResources(stage: Stage): Promise<void> {
  await playAgents(stage);
  await playContexts(stage);
  await playChanges(stage);
}

async function playAgents({ call, service }: Stage): Promise<void> {
  const required = { agentName: 'Support', externalTenantId };
  const headers = { 'idempotency-key': 'agent-1' };
  const options = { body: required, headers };
  const { body: created } = await call('creates an agent', 'POST …/agents', options);
  await call('the same creation again', 'POST …/agents', options);
  const reused = { body: { ...required, live: true }, headers };
  await call('another creation by the same key', 'POST …/agents', reused);
  const { accountUid } = service.app;
  const full = { ...required, live: true, description: 'Answers', accountUids: [accountUid] };
  await call('creates an agent with everything', 'POST …/agents', { body: full });
  await call('an agent without its fields', 'POST …/agents', { body: { live: 'yes' } });
  const strange = { ...required, accountUids: ['acc_00000000000000000000000000'] };
  await call('an agent of an account that is not there', 'POST …/agents', { body: strange });
  await call('lists agents', 'GET …/agents');
  const first = await call('the first page of agents', 'GET …/agents?limit=1');
  const next = `GET …/agents?limit=1&cursor=${first.body['nextCursor']}`;
  await call('the last page of agents', next);
  const agent = `…/agents/${created['uid']}`;
  await call('shows an agent', `GET ${agent}`);
  await call('changes an agent', `PATCH ${agent}`, { body: { description: 'Helps' } });
  await call('changes nothing of an agent', `PATCH ${agent}`, { body: { description: 'Helps' } });
  await call('changes the tenant of an agent', `PATCH ${agent}`, { body: { externalTenantId } });
  await call('deletes an agent', `DELETE ${agent}`);
  await call('an agent that was deleted', `GET ${agent}`);
}

async function playContexts(stage: Stage): Promise<void> {
  const { call } = stage;
  const body = { contextName: 'Manuals', externalTenantId };
  const { body: created } = await call('creates a context', 'POST …/contexts', { body });
  const full = { ...body, description: 'All of them' };
  await call('creates a context with everything', 'POST …/contexts', { body: full });
  await call('a context without its fields', 'POST …/contexts', { body: {} });
  await call('lists contexts', 'GET …/contexts');
  const context = `…/contexts/${created['uid']}`;
  await call('shows a context', `GET ${context}`);
  await call('changes a context', `PATCH ${context}`, { body: { contextName: 'Guides' } });
  await playFiles(stage, context);
  await call('deletes a context', `DELETE ${context}`);
  await call('a context that was deleted', `GET ${context}`);
}

async function playFiles({ call }: Stage, context: string): Promise<void> {
  const body = { fileName: 'a.pdf', contentType: 'application/pdf', sizeBytes: 10 };
  const { body: created } = await call('creates a file', `POST ${context}/files`, { body });
  const typeless = { ...body, contentType: 'pdf' };
  await call('a file without a media type', `POST ${context}/files`, { body: typeless });
  await call('lists files', `GET ${context}/files`);
  const file = `${context}/files/${created['uid']}`;
  await call('shows a file', `GET ${file}`);
  for (const processingStatus of ['processing', 'ready']) {
    await call('changes the status of a file', `PATCH ${file}`, { body: { processingStatus } });
  }
  const failed = { processingStatus: 'failed', processingError: 'encrypted' };
  await call('says why a file failed', `PATCH ${file}`, { body: failed });
  await call('a status that is none', `PATCH ${file}`, { body: { processingStatus: 'lost' } });
  await call('deletes a file', `DELETE ${file}`);
  await call('a file that was deleted', `GET ${file}`);
  await call('creates a file that goes with its context', `POST ${context}/files`, { body });
}

async function playChanges({ call }: Stage): Promise<void> {
  const body = { event: 'agent.updated', data: { uid: 'bot-7', externalTenantId, any: [1] } };
  const headers = { 'idempotency-key': 'change-1' };
  await call('reports a change', 'POST …/changes', { body, headers });
  await call('the same change again', 'POST …/changes', { body, headers });
  const other = { ...body, event: 'agent.deleted' };
  await call('another change by the same key', 'POST …/changes', { body: other, headers });
  const unknown = { ...body, event: 'agent.moved' };
  await call('a change of a kind that is none', 'POST …/changes', { body: unknown });
  await call('a change without a resource', 'POST …/changes', { body: { ...body, data: {} } });
}
