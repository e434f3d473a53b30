import { readFile } from 'node:fs/promises';
import type { ApiAnswer } from '../router.ts';
import { entityTagOf } from './entity-tag.ts';

/** Returns what reads a file of docs/ once, and answers with it; a browser asks again whether it is still the same. */
export function servedFile(name: string, type: string): () => Promise<ApiAnswer> {
  // The build copies the file to the same place beside the built code.
  const place = new URL(`../../docs/${name}`, import.meta.url);
  let answer: Promise<ApiAnswer> | undefined;
  const read = async (): Promise<ApiAnswer> => {
    const bytes = await readFile(place);
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
