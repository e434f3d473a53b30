import { HeraldAdminClient } from '@agent-herald/client';

/** Where the service is: the pages are in `console/` below it, whatever a proxy puts before. */
export const serviceUrl = new URL('..', document.baseURI).href;

let csrfToken: string | null = null;

/** Calls the service with the session of this browser, whose cookie no script can read. */
export const admin = new HeraldAdminClient({ url: serviceUrl, csrfToken: () => csrfToken });

/** The calls in one application, as those of its API keys. */
export type AppCalls = ReturnType<typeof admin.app>;

/** Takes the token of a session, which calls that change something have to show; null forgets it. */
export function keepCsrfToken(token: string | null): void {
  csrfToken = token;
}
