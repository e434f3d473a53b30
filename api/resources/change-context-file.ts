// PATCH …/contexts/{contextUid}/files/{fileUid}: a new name or processing status.
import type { Handler } from '../router.ts';
import { type ChangeContextFileBody, contextFileKind } from './context-file.ts';
import { changeResource } from './resource-kind.ts';

/** Changes a file; a processing status other than `failed` takes away an error that is not given with it. */
export const changeContextFile: Handler<ChangeContextFileBody> = async (request, context) => {
  const { appUid, params, body } = request;
  const recovered = body.processingStatus !== undefined && body.processingStatus !== 'failed';
  return changeResource(contextFileKind, context, {
    filter: { appUid, contextUid: params['contextUid'] ?? '', _id: params['fileUid'] ?? '' },
    fields: recovered ? { processingError: null, ...body } : body,
  });
};
