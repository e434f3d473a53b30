import { format, resolveConfig } from 'prettier';

/** Formats TypeScript as the repository does. */
export async function formatted(source: string): Promise<string> {
  return format(source, { ...(await resolveConfig('package.json')), parser: 'typescript' });
}
