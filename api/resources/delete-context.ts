import type { Handler } from '../route.ts';
import { contextFileKind } from './context-file.ts';
import { contextKind } from './context.ts';
import { deleteResource } from './resource-kind.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'deleteContext',
  summary: 'Delete a context and its files',
  description: 'Events: `contextfile.deleted` for each file, then `context.deleted`.',
  answers: { 204: { description: 'Done' } },
};

/** Deletes its files (at most 1,000) in the same transaction. Their events come first. */
export const deleteContext: Handler = operation(facts, ({ appUid, params }, context) => {
  const { contextFiles } = context.store;
  const contextUid = params['contextUid'] ?? '';
  return deleteResource(contextKind, context, {
    filter: { appUid, _id: contextUid },
    entities: ['context', 'contextfile'],
    isLarge: true,
    async alsoDelete(session) {
      const files = await contextFiles.find({ appUid, contextUid }, { session }).toArray();
      await contextFiles.deleteMany({ appUid, contextUid }, { session });
      const event = 'contextfile.deleted';
      return files.map((file) => ({ event, data: contextFileKind.present(file) }));
    },
  });
});
