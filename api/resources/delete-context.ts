// DELETE …/contexts/{contextUid}: deletes a context and its files, with an event for each.
import type { Handler } from '../router.ts';
import { contextFileKind } from './context-file.ts';
import { contextKind } from './context.ts';
import type { Change } from './record-change.ts';
import { deleteResource } from './resource-kind.ts';

/**
 * Deletes a context. Its files (at most 1,000) go with it in the same transaction: first their
 * `contextfile.deleted` events, then `context.deleted`.
 */
export const deleteContext: Handler = ({ appUid, params }, context) => {
  const { contextFiles } = context.store;
  const contextUid = params['contextUid'] ?? '';
  return deleteResource(contextKind, context, {
    filter: { appUid, _id: contextUid },
    async alsoDelete(session) {
      const files = await contextFiles.find({ appUid, contextUid }, { session }).toArray();
      await contextFiles.deleteMany({ appUid, contextUid }, { session });
      return files.map((file): Change => ({
        event: 'contextfile.deleted',
        data: contextFileKind.present(file),
      }));
    },
  });
};
