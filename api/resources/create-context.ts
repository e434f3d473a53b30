import { newId } from '../../lib/platform/ids.ts';
import type { Handler } from '../route.ts';
import { contextKind, contextSchema, type CreateContextBody } from './context.ts';
import { createResource } from './resource-kind.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'createContext',
  summary: 'Create a context',
  description: 'Event: `context.created`.',
  example: { contextName: 'Manuals', externalTenantId: 'tenant-1' },
  answers: { 201: { description: 'The context', schema: contextSchema } },
  problems: ['payload_too_large'],
  takesIdempotencyKey: true,
};

export const createContext: Handler<CreateContextBody> = operation(facts, (request, context) =>
  createResource(contextKind, context, {
    request,
    path: '/contexts',
    make: async (_session, now) => ({
      _id: newId('ctx', now),
      appUid: request.appUid,
      contextName: request.body.contextName,
      externalTenantId: request.body.externalTenantId,
      description: request.body.description ?? null,
      fileCount: 0,
      createdAt: now,
      updatedAt: now,
    }),
  }),
);
