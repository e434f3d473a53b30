import type { Handler } from '../route.ts';
import { contextFileKind, contextFileSchema } from './context-file.ts';
import { getResource } from './resource-kind.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'getContextFile',
  summary: 'Get a file of a context',
  answers: { 200: { description: 'The file', schema: contextFileSchema } },
};

export const getContextFile: Handler = operation(facts, ({ appUid, params }, context) =>
  getResource(contextFileKind, context, {
    appUid,
    contextUid: params['contextUid'] ?? '',
    _id: params['fileUid'] ?? '',
  }),
);
