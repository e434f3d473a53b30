// Reads the pages of metrics as Prometheus does.
import { type Role, roles } from './stage.ts';

/** Of both processes at one moment; null where one did not answer in time. */
export type Scrape = Record<Role, string | null>;

const timeoutMs = 10_000;

export async function scrape(ports: Record<Role, number>): Promise<Scrape> {
  const [api = null, worker = null] = await Promise.all(
    roles.map(async (role) => {
      const url = `http://127.0.0.1:${ports[role]}/metrics`;
      const page = fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
      return page.then(
        (response) => (response.ok ? response.text() : null),
        () => null,
      );
    }),
  );
  return { api, worker };
}
