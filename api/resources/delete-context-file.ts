import type { Handler } from '../route.ts';
import { contextFileKind } from './context-file.ts';
import { deleteResource } from './resource-kind.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'deleteContextFile',
  summary: 'Delete a file of a context',
  description: 'Event: `contextfile.deleted`.',
  answers: { 204: { description: 'Done' } },
};

export const deleteContextFile: Handler = operation(facts, ({ appUid, params }, context) => {
  const contextUid = params['contextUid'] ?? '';
  return deleteResource(contextFileKind, context, {
    filter: { appUid, contextUid, _id: params['fileUid'] ?? '' },
    async alsoDelete(session) {
      const parent = { appUid, _id: contextUid };
      await context.store.contexts.updateOne(parent, { $inc: { fileCount: -1 } }, { session });
      return [];
    },
  });
});
