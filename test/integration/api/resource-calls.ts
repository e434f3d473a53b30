// Calls about resources, accounts and users that several test files make, and the stored events of a resource.
import { decodeJwt } from 'jose';
import type { ApiClient } from '../../support/api-client.ts';
import { callPatiently } from '../../support/call-patiently.ts';
import type { TestService } from '../../support/service.ts';

/** The payload of an event as a receiver would get it. */
export interface Payload {
  eventId: string;
  event: string;
  timestamp: string;
  appUid: string;
  version: number;
  data: Record<string, unknown>;
}

async function make(client: ApiClient, path: string, body: unknown): Promise<string> {
  const answer = await client.call('POST', path, { body });
  expect(answer.status).toBe(201);
  return String(answer.body['uid']);
}

/** The fields of an agent that a test may set. */
interface AgentWish {
  agentName?: string;
  accountUids?: string[] | null;
}

/** Creates an agent and returns its uid. */
export function makeAgent(client: ApiClient, wish: AgentWish = {}): Promise<string> {
  return make(client, '/agents', { agentName: 'Agent', externalTenantId: 'tenant', ...wish });
}

/** Creates a context and returns its uid. */
export function makeContext(client: ApiClient, externalTenantId = 'tenant'): Promise<string> {
  return make(client, '/contexts', { contextName: 'Context', externalTenantId });
}

/** Creates a file of a context and returns its uid. */
export function makeFile(client: ApiClient, contextUid: string): Promise<string> {
  const body = { fileName: 'file.txt', contentType: 'text/plain', sizeBytes: 1 };
  return make(client, `/contexts/${contextUid}/files`, body);
}

/** Creates an account and returns its uid. */
export function makeAccount(client: ApiClient, name = 'Account'): Promise<string> {
  return make(client, '/accounts', { name });
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

/** Returns the payloads of a resource's events in the order in which they were written. */
export async function eventsOf(service: TestService, resourceUid: string): Promise<Payload[]> {
  const events = await service.store.events.find({ resourceUid }).sort({ $natural: 1 }).toArray();
  return events.map((event) => {
    const payload = JSON.parse(event.body) as Payload;
    expect(payload.eventId).toBe(event._id);
    expect(payload.timestamp).toBe(event.createdAt.toISOString());
    expect(payload.appUid).toBe(service.app.appUid);
    expect(payload.version).toBe(1);
    return payload;
  });
}
