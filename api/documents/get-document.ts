// GET /docs/{documentName}: a document for integrators, as Markdown.
import { AppError } from '../../lib/platform/errors.ts';
import { operation, type Operation } from '../http/operation.ts';
import { text } from '../http/schemas.ts';
import { servedFile } from '../http/served-file.ts';
import type { Handler } from '../route.ts';
import { isServed, servedDocuments, withServedLinks } from './served-documents.ts';

const facts: Operation = {
  id: 'getDocument',
  summary: 'Get a document',
  description: '`/llms.txt` lists the documents.',
  answers: {
    200: {
      description: 'The document',
      schema: text,
      contentType: 'text/markdown',
      headers: ['etag'],
    },
    304: { description: 'Not modified: your copy is current' },
  },
  problems: ['not_found'],
};

const files = new Map(
  Object.keys(servedDocuments).map((name) => [
    name,
    servedFile(name, 'text/markdown; charset=utf-8', withServedLinks),
  ]),
);

/** Throws `not_found`. */
export const getDocument: Handler = operation(facts, async ({ params }) => {
  const name = params['documentName'] ?? '';
  const read = isServed(name) ? files.get(name) : undefined;
  if (read === undefined) throw new AppError('not_found', 'there is no such document');
  return read();
});
