// The load of the soaks on a cluster: mostly reports about many agents, and changes of resources stored here.
import type { Load, MakeChange } from './changes.ts';
import type { LightClient } from './light-client.ts';
import { seededRandom } from '../support/seeded-random.ts';

// Enough that concurrent changes of one process rarely affect the same resource.
const enough = { agents: 100, contexts: 30 };
const shares = { reports: 0.8, agents: 0.9 };

/** Creates the resources, and returns a function that reports or makes a change. One in ten is of a context. */
export async function prepareMix(
  client: Pick<LightClient, 'call'>,
  { seed, resources = enough }: Pick<Load, 'seed'> & { resources?: typeof enough },
): Promise<MakeChange> {
  const random = seededRandom(seed);
  const externalTenantId = 'tenant-1';
  const create = async (path: string, body: object): Promise<string> => {
    const answer = await client.call('POST', path, { body: { ...body, externalTenantId } });
    return String(answer.body['uid']);
  };
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
