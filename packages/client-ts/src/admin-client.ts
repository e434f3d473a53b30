import { checkFunction } from './checks.ts';
import {
  type AdminAppCalls,
  adminAppCalls,
  type AdminCalls,
  adminCalls,
  keysAlone,
} from './generated/admin-calls.ts';
import { calls } from './generated/calls.ts';
import { type CallTable, groupsOf } from './groups.ts';
import type { HeraldAdminClientOptions } from './options.ts';
import { type CallFacts, Transport } from './transport.ts';

/** Client of the admin area, for pages that the service itself serves. It uses their session cookie. */
export class HeraldAdminClient implements AdminCalls {
  declare readonly session: AdminCalls['session'];
  declare readonly sessions: AdminCalls['sessions'];
  declare readonly apps: AdminCalls['apps'];
  declare readonly auditLog: AdminCalls['auditLog'];
  declare readonly stats: AdminCalls['stats'];
  readonly #transportOf: (appUid?: string) => Transport;

  constructor(options: HeraldAdminClientOptions) {
    checkFunction('csrfToken', options.csrfToken ?? null);
    const headersOf = ({ method }: CallFacts): Record<string, string> => {
      const token = method === 'GET' ? null : options.csrfToken();
      return token === null ? {} : { 'x-csrf-token': token };
    };
    this.#transportOf = (appUid) => new Transport(options, { appUid, headersOf });
    Object.assign(this, groupsOf(this.#transportOf(), adminCalls));
  }

  /** Returns the calls for one application. */
  app(appUid: string): AdminAppCalls {
    const groups = groupsOf(this.#transportOf(appUid), { ...sharedCalls(), ...adminAppCalls });
    // Both are generated from the same contract.
    return groups as unknown as AdminAppCalls;
  }
}

const keyPath = '/api/v1/appuid/{appUid}';
const adminPath = '/admin/api/apps/{appUid}';

/** Returns the calls that admins share with API keys, under the paths of the admin area. */
function sharedCalls(): CallTable {
  const groups = Object.entries<CallTable[string]>(calls).map(([group, methods]) => {
    const shared = Object.entries(methods)
      .filter(([, { id, path }]) => path.startsWith(keyPath) && !keysAlone.includes(id))
      .map(([name, facts]) => [name, { ...facts, path: facts.path.replace(keyPath, adminPath) }]);
    return [group, Object.fromEntries(shared) as CallTable[string]] as const;
  });
  return Object.fromEntries(groups.filter(([, methods]) => Object.keys(methods).length > 0));
}
