import type { ClientSession } from 'mongodb';
import { AppError } from '../../lib/platform/errors.ts';
import { newId } from '../../lib/platform/ids.ts';
import { limits } from '../../lib/limits.ts';
import { type ContextDocument, processingFrom } from '../../lib/model/resource.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import type { Handler } from '../route.ts';
import { contextFileKind, contextFileSchema, type CreateContextFileBody } from './context-file.ts';
import { createResource, noSuchResource } from './resource-kind.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'createContextFile',
  summary: 'Create a file of a context',
  description: 'Event: `contextfile.created`.',
  example: { fileName: 'manual.pdf', contentType: 'application/pdf', sizeBytes: 482_113 },
  answers: { 201: { description: 'The file', schema: contextFileSchema } },
  problems: ['limit_reached', 'payload_too_large'],
  takesIdempotencyKey: true,
};

/** A file belongs to the tenant of its context. Throws `not_found`, `limit_reached`. */
export const createContextFile: Handler<CreateContextFileBody> = operation(
  facts,
  (request, context) => {
    const { appUid, body } = request;
    const contextUid = request.params['contextUid'] ?? '';
    return createResource(contextFileKind, context, {
      request,
      path: `/contexts/${contextUid}/files`,
      async make(session, now) {
        const parent = await countIn(context.store, session, { appUid, _id: contextUid });
        return {
          _id: newId('cfl', now),
          appUid,
          contextUid,
          fileName: body.fileName,
          contentType: body.contentType,
          sizeBytes: body.sizeBytes,
          externalTenantId: parent.externalTenantId,
          processingStatus: body.processingStatus ?? 'pending',
          processingError: body.processingError ?? null,
          processing: body.processingStatus === 'processing' ? processingFrom(now) : null,
          createdAt: now,
          updatedAt: now,
        };
      },
    });
  },
);

// The write also makes a concurrent deletion of the context conflict.
async function countIn(
  store: Store,
  session: ClientSession,
  filter: { appUid: string; _id: string },
): Promise<ContextDocument> {
  const parent = await store.contexts.findOneAndUpdate(
    filter,
    { $inc: { fileCount: 1 } },
    { session, returnDocument: 'after' },
  );
  if (parent === null) throw noSuchResource('context');
  if (parent.fileCount > limits.filesPerContextMax) {
    throw new AppError(
      'limit_reached',
      `a context can have at most ${limits.filesPerContextMax} files`,
    );
  }
  return parent;
}
