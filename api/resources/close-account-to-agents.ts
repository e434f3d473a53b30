import type { ApiContext } from '../context.ts';
import { agentKind } from './agent.ts';
import type { Change } from '../changes/make-events.ts';
import { recordChange } from '../changes/record-change.ts';

// Each agent adds an event with its payload to the transaction.
const agentsPerBatchMax = 50;

/**
 * Removes a deleted account from all agents, with a transaction per batch. A repeat continues. Removing the last
 * account leaves an empty list, which nobody passes; no list at all would let everybody pass.
 */
export async function closeAccountToAgents(
  context: ApiContext,
  account: { appUid: string; accountUid: string },
): Promise<void> {
  let count = agentsPerBatchMax;
  while (count === agentsPerBatchMax) count = await closeBatch(context, account);
}

function closeBatch(
  context: ApiContext,
  { appUid, accountUid }: { appUid: string; accountUid: string },
): Promise<number> {
  const { agents } = context.store;
  return recordChange(
    context,
    { appUid, key: null, entities: ['agent'], isLarge: true },
    async (session, now) => {
      const found = await agents
        .find({ appUid, accountUids: accountUid }, { session })
        .limit(agentsPerBatchMax)
        .toArray();
      await agents.updateMany(
        { appUid, _id: { $in: found.map((agent) => agent._id) } },
        { $pull: { accountUids: accountUid }, $set: { updatedAt: now } },
        { session },
      );
      const changes = found.map((agent): Change => {
        const accountUids = agent.accountUids?.filter((uid) => uid !== accountUid) ?? null;
        const data = agentKind.present({ ...agent, accountUids, updatedAt: now });
        return { event: 'agent.updated', data };
      });
      return { answer: found.length, changes };
    },
  );
}
