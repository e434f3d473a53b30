import { good } from './good.ts';
import { hostile } from './hostile.ts';
import { toCase } from './draft.ts';

/** Returns the text of `packages/receiver-cases/deliveries.json`; `vectors` are the public ones. */
export function casesFile(vectors: object): string {
  const deliveries = [...good, ...hostile].map(toCase);
  return `${JSON.stringify({ ...vectors, deliveries }, null, 2)}\n`;
}
