// GET /docs/migration: the page that the response of the retired flow links to, as Markdown.
import type { Handler } from '../route.ts';
import { text } from '../http/schemas.ts';
import { servedFile } from '../http/served-file.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'getMigrationPage',
  summary: 'Get the migration guide',
  description: 'The guide describes how to leave the retired sign-in flow.',
  answers: {
    200: { description: 'The page', schema: text, contentType: 'text/markdown', headers: ['etag'] },
    304: { description: 'Not modified: your copy is current' },
  },
};

export const getMigrationPage: Handler = operation(
  facts,
  servedFile('migration.md', 'text/markdown; charset=utf-8'),
);
