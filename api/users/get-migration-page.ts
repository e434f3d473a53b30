// GET /docs/migration: the page that the retired flow's answer links to.
import { readFile } from 'node:fs/promises';
import type { Handler } from '../router.ts';

// The build puts a copy of the page at the same place beside the built code.
const page = new URL('../../docs/migration.md', import.meta.url);

/** Gives the migration page as Markdown, the same text that the repository holds. */
export const getMigrationPage: Handler = async () => ({
  status: 200,
  markdown: await readFile(page, 'utf8'),
});
