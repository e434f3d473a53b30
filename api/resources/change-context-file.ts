import type { Handler } from '../route.ts';
import { type ChangeContextFileBody, contextFileKind, contextFileSchema } from './context-file.ts';
import { processingFrom } from '../../lib/model/resource.ts';
import { changeResource } from './resource-kind.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'changeContextFile',
  summary: 'Change a file of a context',
  description: 'Event: `contextfile.updated`. There is no event if nothing changes.',
  example: { processingStatus: 'ready' },
  answers: { 200: { description: 'The file', schema: contextFileSchema } },
};

/** Changing the processing status to anything but `failed` removes an error that is not set along with it. */
export const changeContextFile: Handler<ChangeContextFileBody> = operation(
  facts,
  async (request, context) => {
    const { appUid, params, body } = request;
    const { processingStatus } = body;
    const filter = { appUid, contextUid: params['contextUid'] ?? '', _id: params['fileUid'] ?? '' };
    const recovered = processingStatus !== undefined && processingStatus !== 'failed';
    return changeResource(contextFileKind, context, {
      filter,
      fields: recovered ? { processingError: null, ...body } : body,
      check: async (session, now) => {
        if (processingStatus === undefined) return;
        const isProcessing = processingStatus === 'processing';
        await context.store.contextFiles.updateOne(
          // Only a change of the status begins or ends a stay in `processing`.
          { ...filter, processingStatus: isProcessing ? { $ne: 'processing' } : 'processing' },
          { $set: { processing: isProcessing ? processingFrom(now) : null } },
          { session },
        );
      },
    });
  },
);
