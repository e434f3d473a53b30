// What was scraped from a real run.
import { fileURLToPath } from 'node:url';
import type { Scrape } from './scrape.ts';

export const recordingsFolder = fileURLToPath(new URL('../../.cache/alerts', import.meta.url));

export interface Recording {
  name: string;
  scrapeEverySeconds: number;
  /** How many scrapes were taken before, in and after the fault. */
  phases: { before: number; during: number; after: number };
  scrapes: Scrape[];
}
