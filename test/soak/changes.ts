// The load of a soak: changes of a few resources at a constant rate, chosen by the seed.
import { setTimeout as sleep } from 'node:timers/promises';
import type { LightClient } from './light-ends.ts';
import { seededRandom } from '../support/seeded-random.ts';

export interface Load {
  seed: number;
  changesPerSecond: number;
  seconds: number;
}

export interface Answers {
  /** The number of calls by response status; `broken` for connections that ended without one. */
  answers: Record<string, number>;
  slowestCallMs: number;
  p99CallMs: number;
}

const allEntities = ['agent', 'context', 'contextfile'];

/** Registers webhooks for all events, the first one in order for the entities `ordered`. Returns their uids. */
export async function registerWebhooks(
  client: Pick<LightClient, 'call'>,
  receiverUrl: string,
  { count, ordered = allEntities }: { count: number; ordered?: readonly string[] },
): Promise<string[]> {
  const uids: string[] = [];
  for (let hook = 0; hook < count; hook += 1) {
    const { status, body } = await client.call('POST', '/webhooks', {
      body: {
        url: `${receiverUrl}/${hook}`,
        entities: hook === 0 ? ordered : allEntities,
        active: true,
        ordering: hook === 0 ? 'resource' : 'parallel',
      },
    });
    if (status !== 201 && status !== 200)
      throw new Error(`a webhook was not registered: ${status}`);
    uids.push(String(body['uid']));
  }
  return uids;
}

export type MakeChange = () => Promise<{
  status: number;
  body?: Readonly<Record<string, unknown>>;
}>;

/** Adds the IDs of the events whose reports got a 2xx to a list. Responses to changes of resources do not have one. */
export function keepAcknowledged(change: MakeChange, eventIds: string[]): MakeChange {
  return async () => {
    const answer = await change();
    const eventId = answer.body?.['eventId'];
    if (answer.status < 300 && typeof eventId === 'string') eventIds.push(eventId);
    return answer;
  };
}

const externalTenantId = 'tenant-1';

/** Returns a function that creates a resource and returns its uid. */
function creatorOf(client: Pick<LightClient, 'call'>) {
  return async (path: string, body: object): Promise<string> => {
    const answer = await client.call('POST', path, { body: { ...body, externalTenantId } });
    return String(answer.body['uid']);
  };
}

// Few, so that events about one resource often follow each other closely.
const resourcesDefault = 10;

/** Creates the resources, and returns a function that changes one of them, chosen by the seed. */
export async function prepareChanges(
  client: Pick<LightClient, 'call'>,
  { seed, resources: resourceCount = resourcesDefault }: { seed: number; resources?: number },
): Promise<MakeChange> {
  const random = seededRandom(seed);
  const create = creatorOf(client);
  const agents: string[] = [];
  const contexts: string[] = [];
  for (let n = 0; n < resourceCount; n += 1) {
    agents.push(await create('/agents', { agentName: `Agent ${n}`, live: true }));
    contexts.push(await create('/contexts', { contextName: `Context ${n}` }));
  }
  let count = 0;
  return () => {
    count += 1;
    const which = Math.floor(random() * resourceCount);
    const kind = random();
    if (kind < 0.6) {
      const data = { uid: `agt_${which}`, externalTenantId, count };
      return client.call('POST', '/changes', { body: { event: 'agent.updated', data } });
    }
    if (kind < 0.9) {
      const path = `/agents/${String(agents[which])}`;
      return client.call('PATCH', path, { body: { agentName: `Agent ${count}` } });
    }
    const file = { fileName: `${count}.txt`, contentType: 'text/plain', sizeBytes: count };
    return client.call('POST', `/contexts/${String(contexts[which])}/files`, { body: file });
  };
}

// Enough that concurrent changes of one process rarely affect the same resource.
const enough = { agents: 100, contexts: 30 };
const shares = { reports: 0.8, agents: 0.9 };

/** Like `prepareChanges`, with mostly reports about many agents. One change in ten is of a context. */
export async function prepareMix(
  client: Pick<LightClient, 'call'>,
  { seed, resources = enough }: Pick<Load, 'seed'> & { resources?: typeof enough },
): Promise<MakeChange> {
  const random = seededRandom(seed);
  const create = creatorOf(client);
  const createMany = (count: number, path: string, bodyOf: (n: number) => object) =>
    Promise.all(Array.from({ length: count }, (_, n) => create(path, bodyOf(n))));
  const agents = await createMany(resources.agents, '/agents', (n) => ({
    agentName: `Agent ${n}`,
  }));
  const contexts = await createMany(resources.contexts, '/contexts', (n) => ({
    contextName: `Context ${n}`,
  }));
  const oneOf = (uids: readonly string[]): string =>
    String(uids[Math.floor(random() * uids.length)]);
  let count = 0;
  return () => {
    count += 1;
    const kind = random();
    if (kind < shares.reports) {
      const data = {
        uid: `agt_${Math.floor(random() * resources.agents)}`,
        externalTenantId,
        count,
      };
      return client.call('POST', '/changes', { body: { event: 'agent.updated', data } });
    }
    if (kind < shares.agents) {
      const body = { agentName: `Agent ${count}` };
      return client.call('PATCH', `/agents/${oneOf(agents)}`, { body });
    }
    const body = { contextName: `Context ${count}` };
    return client.call('PATCH', `/contexts/${oneOf(contexts)}`, { body });
  };
}

/** Makes changes at a constant rate without waiting for responses, until the time is up or `signal` aborts. */
export async function makeCalls(
  change: MakeChange,
  { changesPerSecond, seconds, signal }: Omit<Load, 'seed'> & { signal?: AbortSignal },
): Promise<Answers> {
  const answers: Record<string, number> = {};
  const durationsMs: number[] = [];
  const call = async (): Promise<void> => {
    const startedAt = performance.now();
    const answer = await change().then(
      ({ status }) => String(status),
      () => 'broken',
    );
    answers[answer] = (answers[answer] ?? 0) + 1;
    durationsMs.push(Math.round(performance.now() - startedAt));
  };
  const startedAt = performance.now();
  const calls: Promise<void>[] = [];
  for (let n = 0; n < changesPerSecond * seconds; n += 1) {
    await sleep(Math.max(0, startedAt + (n * 1_000) / changesPerSecond - performance.now()));
    if (signal?.aborted === true) break;
    calls.push(call());
  }
  await Promise.all(calls);
  durationsMs.sort((a, b) => a - b);
  const p99CallMs = durationsMs[Math.floor(0.99 * durationsMs.length)] ?? 0;
  return { answers, slowestCallMs: durationsMs.at(-1) ?? 0, p99CallMs };
}
