// GET /docs/migration: the page that the answer of the retired flow links to, as Markdown.
import { readFile } from 'node:fs/promises';
import type { Handler } from '../router.ts';

// The build copies the page to the same place beside the built code.
const page = new URL('../../docs/migration.md', import.meta.url);

export const getMigrationPage: Handler = async () => ({
  status: 200,
  markdown: await readFile(page, 'utf8'),
});
