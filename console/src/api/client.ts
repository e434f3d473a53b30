import { HeraldAdminClient } from '@agent-herald/client';

/** Where the service is: the pages are in `console/` below it, whatever a proxy puts before. */
export const serviceUrl = new URL('..', document.baseURI).href;

let csrfToken: string | null = null;

/** Calls the service with the session of this browser, whose cookie no script can read. */
export const admin = new HeraldAdminClient({ url: serviceUrl, csrfToken: () => csrfToken });

/** The calls in one application, as those of its API keys. */
export type AppCalls = ReturnType<typeof admin.app>;

const callsByApp = new Map<string, AppCalls>();

/** Returns the calls in an application, the same ones each time. */
export function callsOf(appUid: string): AppCalls {
  const calls = callsByApp.get(appUid) ?? admin.app(appUid);
  callsByApp.set(appUid, calls);
  return calls;
}

/** Takes the token of a session, which calls that change something have to show; null forgets it. */
export function keepCsrfToken(token: string | null): void {
  csrfToken = token;
}
