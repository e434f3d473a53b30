import type { Handler } from '../route.ts';
import { contextKind, contextSchema } from './context.ts';
import { getResource } from './resource-kind.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'getContext',
  summary: 'Get a context',
  answers: { 200: { description: 'The context', schema: contextSchema } },
};

export const getContext: Handler = operation(facts, ({ appUid, params }, context) =>
  getResource(contextKind, context, { appUid, _id: params['contextUid'] ?? '' }),
);
