import { readFile } from 'node:fs/promises';
import type { ApiAnswer } from '../route.ts';
import { entityTagOf } from './entity-tag.ts';

/**
 * Returns a function that reads a file of docs/ once and serves it, as `change` returns it. Browsers revalidate it.
 */
export function servedFile(
  name: string,
  type: string,
  change?: (text: string) => string,
): () => Promise<ApiAnswer> {
  // The build copies the file to the same path next to the built code.
  const location = new URL(`../../docs/${name}`, import.meta.url);
  let answer: Promise<ApiAnswer> | undefined;
  const read = async (): Promise<ApiAnswer> => {
    const file = await readFile(location);
    const bytes = change === undefined ? file : Buffer.from(change(file.toString()));
    const headers = { 'cache-control': 'no-cache', etag: entityTagOf(bytes) };
    return { status: 200, content: { type, bytes }, headers };
  };
  return () => {
    answer ??= read().catch((error: unknown) => {
      answer = undefined;
      throw error;
    });
    return answer;
  };
}
