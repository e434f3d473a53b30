// PATCH …/contexts/{contextUid}: changes a context; the event is context.updated, if anything changed.
import type { Handler } from '../router.ts';
import { type ChangeContextBody, contextKind } from './context.ts';
import { changeResource } from './resource-kind.ts';

export const changeContext: Handler<ChangeContextBody> = ({ appUid, params, body }, context) => {
  const filter = { appUid, _id: params['contextUid'] ?? '' };
  return changeResource(contextKind, context, { filter, fields: body });
};
