import type { Handler } from '../router.ts';
import { type ChangeContextFileBody, contextFileKind, contextFileSchema } from './context-file.ts';
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
    const recovered = body.processingStatus !== undefined && body.processingStatus !== 'failed';
    return changeResource(contextFileKind, context, {
      filter: { appUid, contextUid: params['contextUid'] ?? '', _id: params['fileUid'] ?? '' },
      fields: recovered ? { processingError: null, ...body } : body,
    });
  },
);
