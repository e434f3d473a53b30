import type { ClientSession } from 'mongodb';
import type { Entity } from '../model/event-name.ts';
import type { ResourceData } from '../model/event-payload.ts';
import { agentData, contextData, contextFileData } from '../model/resource-data.ts';
import type { Store } from '../mongo/connect.ts';
import { within } from '../mongo/transaction.ts';

/** Reads the resources of an entity that are stored here. */
export function readStored(
  store: Store,
  { appUid, entity, after }: { appUid: string; entity: Entity; after: string },
  session?: ClientSession,
): AsyncIterable<ResourceData> {
  const filter = { appUid, _id: { $gt: after } };
  // Small batches, because a page rarely sends more.
  const options = { sort: { _id: 1 }, hint: 'app', batchSize: 100, ...within(session) } as const;
  if (entity === 'agent') return store.agents.find(filter, options).map(agentData);
  if (entity === 'context') return store.contexts.find(filter, options).map(contextData);
  return store.contextFiles.find(filter, options).map(contextFileData);
}
