import { listHandler } from '../http/list-handler.ts';
import { contextFileKind, contextFileSchema } from './context-file.ts';
import { listResources, noSuchResource } from './resource-kind.ts';
import { operation, type Operation, pageOf } from '../http/operation.ts';

const facts: Operation = {
  id: 'listContextFiles',
  summary: 'List the files of a context',
  description: 'The list is ordered from newest to oldest.',
  answers: { 200: pageOf(contextFileSchema) },
};

export const listContextFiles = operation(
  facts,
  listHandler({}, async ({ appUid, params, page }, context) => {
    const contextUid = params['contextUid'] ?? '';
    const parent = await context.store.contexts.findOne({ appUid, _id: contextUid });
    if (parent === null) throw noSuchResource('context');
    return listResources(contextFileKind, context, { filter: { appUid, contextUid }, page });
  }),
);
