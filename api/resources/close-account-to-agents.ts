// Takes a deleted account off the agents that name it, each with its event agent.updated.
import type { ApiContext } from '../context.ts';
import { agentKind } from './agent.ts';
import { type Change, recordChange } from './record-change.ts';

// Each is an event with a payload of its own in the same transaction.
const agentsPerBatchMax = 50;

/**
 * Takes an account off all agents, a transaction a batch; doing it again only goes on. An agent
 * that loses its last account keeps an empty list, which is open to nobody: without a list it
 * would be open to everybody.
 */
export async function closeAccountToAgents(
  context: ApiContext,
  { appUid, accountUid }: { appUid: string; accountUid: string },
): Promise<void> {
  let count: number;
  do {
    count = await closeBatch(context, { appUid, accountUid });
  } while (count === agentsPerBatchMax);
}

function closeBatch(
  context: ApiContext,
  { appUid, accountUid }: { appUid: string; accountUid: string },
): Promise<number> {
  const { agents } = context.store;
  return recordChange(context, { appUid, key: null }, async (session, now) => {
    const found = await agents
      .find({ appUid, accountUids: accountUid }, { session })
      .limit(agentsPerBatchMax)
      .toArray();
    await agents.updateMany(
      { _id: { $in: found.map((agent) => agent._id) } },
      { $pull: { accountUids: accountUid }, $set: { updatedAt: now } },
      { session },
    );
    const changes = found.map((agent): Change => {
      const accountUids = agent.accountUids?.filter((uid) => uid !== accountUid) ?? null;
      const data = agentKind.present({ ...agent, accountUids, updatedAt: now });
      return { event: 'agent.updated', data };
    });
    return { answer: found.length, changes };
  });
}
