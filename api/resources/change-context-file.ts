// PATCH …/contexts/{contextUid}/files/{fileUid}: changes its name or processing status.
import type { Handler } from '../router.ts';
import { type ChangeContextFileBody, contextFileKind } from './context-file.ts';
import { changeResource } from './resource-kind.ts';

/** A processing status other than `failed` removes an error that is not given with it. */
export const changeContextFile: Handler<ChangeContextFileBody> = async (request, context) => {
  const { appUid, params, body } = request;
  const recovered = body.processingStatus !== undefined && body.processingStatus !== 'failed';
  return changeResource(contextFileKind, context, {
    filter: { appUid, contextUid: params['contextUid'] ?? '', _id: params['fileUid'] ?? '' },
    fields: recovered ? { processingError: null, ...body } : body,
  });
};
