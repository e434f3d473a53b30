// GET …/contexts/{contextUid}: one context.
import type { Handler } from '../router.ts';
import { contextKind } from './context.ts';
import { getResource } from './resource-kind.ts';

export const getContext: Handler = ({ appUid, params }, context) =>
  getResource(contextKind, context, { appUid, _id: params['contextUid'] ?? '' });
