// GET …/contexts: the contexts of the application, newest first.
import { listHandler } from '../http/list-handler.ts';
import { contextKind } from './context.ts';
import { listResources } from './resource-kind.ts';

export const listContexts = listHandler({}, ({ appUid, page }, context) =>
  listResources(contextKind, context, { filter: { appUid }, page }),
);
