import { listHandler } from '../http/list-handler.ts';
import { contextKind, contextSchema } from './context.ts';
import { listResources } from './resource-kind.ts';
import { operation, type Operation, pageOf } from '../http/operation.ts';

const facts: Operation = {
  id: 'listContexts',
  summary: 'List contexts',
  description: 'The list is ordered from newest to oldest.',
  answers: { 200: pageOf(contextSchema) },
};

export const listContexts = operation(
  facts,
  listHandler({}, ({ appUid, page }, context) =>
    listResources(contextKind, context, { filter: { appUid }, page }),
  ),
);
