import { HeraldAdminClient } from '@agent-herald/client';

/** The base URL of the service. The pages are at `console/` below it, whatever path a proxy adds. */
export const serviceUrl = new URL('..', document.baseURI).href;

let csrfToken: string | null = null;

/** Calls the service with this browser's session, whose cookie scripts cannot read. */
export const admin = new HeraldAdminClient({ url: serviceUrl, csrfToken: () => csrfToken });

/** The calls in one application, as for its API keys. */
export type AppCalls = ReturnType<typeof admin.app>;

const callsByApp = new Map<string, AppCalls>();

/** Returns the calls in an application, always the same object. */
export function callsOf(appUid: string): AppCalls {
  const calls = callsByApp.get(appUid) ?? admin.app(appUid);
  callsByApp.set(appUid, calls);
  return calls;
}

/** Stores the token of the session, which calls that change something must send. Null clears it. */
export function keepCsrfToken(token: string | null): void {
  csrfToken = token;
}
