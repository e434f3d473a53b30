import type { Handler } from '../route.ts';
import { type ChangeContextBody, contextKind, contextSchema } from './context.ts';
import { changeResource } from './resource-kind.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'changeContext',
  summary: 'Change a context',
  description: 'Event: `context.updated`. There is no event if nothing changes.',
  example: { description: 'All of them' },
  answers: { 200: { description: 'The context', schema: contextSchema } },
};

export const changeContext: Handler<ChangeContextBody> = operation(
  facts,
  ({ appUid, params, body }, context) => {
    const filter = { appUid, _id: params['contextUid'] ?? '' };
    return changeResource(contextKind, context, { filter, fields: body });
  },
);
