// GET /llms.txt: what an assistant can read about the service (llmstxt.org).
import { entityTagOf } from '../http/entity-tag.ts';
import { operation, type Operation } from '../http/operation.ts';
import { text } from '../http/schemas.ts';
import type { Handler } from '../route.ts';
import { llmsText } from './served-documents.ts';

const facts: Operation = {
  id: 'getLlmsText',
  summary: 'Get the index of the documents for assistants',
  answers: {
    200: {
      description: 'The index, in Markdown',
      schema: text,
      contentType: 'text/plain',
      headers: ['etag'],
    },
    304: { description: 'Not modified: your copy is current' },
  },
};

const bytes = Buffer.from(llmsText());
const headers = { 'cache-control': 'no-cache', etag: entityTagOf(bytes) };

export const getLlmsText: Handler = operation(facts, async () => ({
  status: 200,
  content: { type: 'text/plain; charset=utf-8', bytes },
  headers,
}));
