// Agents, contexts, files, and changes that are reported.
import type { Stage } from './stage.ts';

const externalTenantId = 'tenant-1';

/** Plays it. */
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
