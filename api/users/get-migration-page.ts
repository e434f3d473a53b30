// GET /docs/migration: the page that the answer of the retired flow links to, as Markdown.
import { readFile } from 'node:fs/promises';
import type { Handler } from '../router.ts';
import { text } from '../http/schemas.ts';
import { operation, type Operation } from '../http/operation.ts';

// The build copies the page to the same place beside the built code.
const page = new URL('../../docs/migration.md', import.meta.url);

const facts: Operation = {
  id: 'getMigrationPage',
  summary: 'Shows how to leave the retired flow',
  answers: { 200: { description: 'The page', schema: text, contentType: 'text/markdown' } },
};

export const getMigrationPage: Handler = operation(facts, async () => ({
  status: 200,
  markdown: await readFile(page, 'utf8'),
}));
