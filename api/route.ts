// The declaration of a route, and the requests and answers of its handler.
import type { Readable } from 'node:stream';
import type { Scope } from '../lib/model/api-key.ts';
import type { Caller } from '../lib/model/audit-log.ts';
import type { IdempotencyKey } from '../lib/model/idempotency.ts';
import type { AdminNeed, SignedIn } from './access/admit-admin.ts';
import type { Access } from './access/admit.ts';
import type { ApiContext } from './context.ts';
import type { Operation } from './http/operation.ts';
import type { ParameterTable } from './http/query-values.ts';
import { noFields, type Validator } from './http/validate.ts';

export interface ApiRequest<Body = undefined> {
  /** The application that the caller may access. Empty on routes without one. */
  appUid: string;
  /** The base path of that application for this kind of caller, used for `Location`. */
  appPath: string;
  params: Readonly<Record<string, string>>;
  /**
   * The scope of idempotency keys and cursors: route, parameters (a path has several spellings) and admin. The API keys
   * of an application share it, because they are rolled.
   */
  callScope: string;
  query: URLSearchParams;
  body: Body;
  /** The body as it was written. Empty if none is read. */
  bodyText: string;
  /** Throws `malformed_request`. Handlers that do not call it ignore the header. */
  idempotencyKey: () => IdempotencyKey | null;
  rawHeaders: readonly string[];
  caller: Caller;
  /** Null unless the caller is an admin. */
  signedIn: SignedIn | null;
}

/** Has `body`, which is sent as JSON, or `content`, which is sent as it is, or neither. */
export interface ApiAnswer {
  status: number;
  body?: unknown;
  content?: { type: string; bytes: Buffer | Readable };
  headers?: Record<string, string | string[]>;
}

export interface Handling<Request> {
  (request: Request, context: ApiContext): Promise<ApiAnswer>;
  /** The query parameters. Absent if there are none. */
  readonly parameters?: ParameterTable;
}

interface HandlerOf<Request> extends Handling<Request> {
  readonly operation: Operation;
}

export type Handler<Body = undefined> = HandlerOf<ApiRequest<Body>>;

export interface AdminRequest<Body = undefined> extends ApiRequest<Body> {
  signedIn: SignedIn;
}

export type AdminHandler<Body = undefined> = HandlerOf<AdminRequest<Body>>;

export interface Route {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  /** Replaces the ID of the operation if routes share a handler. */
  id?: string;
  access: Access;
  /** `noFields` for an empty body; null if the body is not read. */
  body: Validator<unknown> | null;
  /** The default is `limits.requestBytesMax`. */
  bodyBytesMax?: number;
  /** For probes and responses from memory: they neither wait nor delay others. */
  withoutPermit?: boolean;
  handler: HandlerOf<never>;
}

/** A line of the table of routes. It has `body` if the handler takes one. */
type Line<Body> = Omit<Route, 'access' | 'body' | 'handler'> &
  ([Body] extends [undefined] ? unknown : { body: Validator<Body> });

type Declared = Omit<Route, 'access' | 'body'> & Partial<Pick<Route, 'body'>>;

function withAccess(line: Declared, access: Access): Route {
  // Open routes read no body. Only a GET has content without a meaning, which is ignored (RFC 9110 §9.3.1).
  const isIgnored = access.kind === 'open' || line.method === 'get';
  return { body: isIgnored ? null : noFields, ...line, access };
}

/** `scope` is the one that an API key needs. Null means open to all. */
export function route<Body = undefined>(
  line: Line<Body> & { scope: Scope | null; handler: Handler<Body> },
): Route {
  const { scope } = line;
  return withAccess(line, scope === null ? { kind: 'open' } : { kind: 'key', scope });
}

export function adminRoute<Body = undefined>(
  line: Line<Body> & { needs: AdminNeed; handler: AdminHandler<Body> },
): Route {
  return withAccess(line, { kind: 'admin', needs: line.needs });
}

/** Returns a route for the pages of the admin area before the sign-in. */
export function signInRoute<Body>(line: Line<Body> & { handler: Handler<Body> }): Route {
  return withAccess(line, { kind: 'own_pages' });
}

/** The base paths of an application's calls, for API keys and for admins. */
export const appPaths = {
  key: '/api/v1/appuid/:appUid',
  admin: '/admin/api/apps/:appUid',
} as const;

/**
 * Returns the route for API keys, and the same call for admins, who need the role `viewer` to read and `admin` to
 * change. `path` follows the path of the application.
 */
export function appRoute<Body = undefined>(
  line: Line<Body> & { scope: Scope; handler: Handler<Body> },
): Route[] {
  const { scope } = line;
  const needs = line.method === 'get' ? 'viewer' : 'admin';
  return [
    withAccess({ ...line, path: appPaths.key + line.path }, { kind: 'key', scope }),
    withAccess({ ...line, path: appPaths.admin + line.path }, { kind: 'admin', needs }),
  ];
}
