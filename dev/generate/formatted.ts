import { format, resolveConfig } from 'prettier';

/** Formats TypeScript or JSON as the repository does. */
export async function formatted(
  source: string,
  parser: 'typescript' | 'json' = 'typescript',
): Promise<string> {
  return format(source, { ...(await resolveConfig('package.json')), parser });
}
