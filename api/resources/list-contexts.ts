// GET …/contexts: the application's contexts, newest first.
import type { Handler } from '../http/router.ts';
import { contextKind } from './context.ts';
import { listResources } from './resource-kind.ts';

export const listContexts: Handler = ({ appUid, query }, context) =>
  listResources(contextKind, context, { filter: { appUid }, query });
