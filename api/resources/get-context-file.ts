// GET …/contexts/{contextUid}/files/{fileUid}: one file of a context.
import type { Handler } from '../router.ts';
import { contextFileKind } from './context-file.ts';
import { getResource } from './resource-kind.ts';

export const getContextFile: Handler = ({ appUid, params }, context) =>
  getResource(contextFileKind, context, {
    appUid,
    contextUid: params['contextUid'] ?? '',
    _id: params['fileUid'] ?? '',
  });
