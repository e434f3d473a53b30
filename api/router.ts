// The table of routes and what stands before each handler: who may call, query, body, in that order.
import { Router, type RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import { inTime } from '../lib/concurrency/in-time.ts';
import { limits } from '../lib/limits.ts';
import type { Scope } from '../lib/model/api-key.ts';
import type { Caller } from '../lib/model/audit-log.ts';
import type { IdempotencyKey } from '../lib/model/idempotency.ts';
import type { AdminNeed, SignedIn } from './access/admit-admin.ts';
import type { ApiContext } from './context.ts';
import { visitOf } from './access/shed-load.ts';
import { type Access, admit } from './access/admit.ts';
import { clientAddress } from './http/client-address.ts';
import { readIdempotencyKey } from './http/idempotency-header.ts';
import { HttpError } from './http/problems.ts';
import { checkParameters } from './http/query-values.ts';
import { readJsonBody } from './http/read-json-body.ts';
import { noFields, type Validator } from './http/validate.ts';

/** What a handler gets of a request: checked, and free of Koa. */
export interface ApiRequest<Body = undefined> {
  /** The application of the path, in which the caller was let in; empty on routes without one. */
  appUid: string;
  params: Readonly<Record<string, string>>;
  /**
   * The route with what its path holds, and which admin asks: what idempotency keys and cursors belong
   * to. Of the route and not the path, of which the router takes more than one spelling. Two admins do
   * not share a key; those who call for an application do, for its API keys are rolled.
   */
  place: string;
  query: URLSearchParams;
  body: Body;
  /**
   * Reads the caller's `Idempotency-Key`, or null, for a call that is done once by it; all others
   * ignore the header, whatever is in it. Throws `malformed_request` for one that cannot be a key.
   */
  idempotencyKey: () => IdempotencyKey | null;
  /** The headers as they came, names and values in turn. */
  rawHeaders: readonly string[];
  /** Who asks and from where, for the audit log. */
  caller: Caller;
}

/** What a handler gives: a status, a body (JSON, or Markdown for people) or none, and headers of its own. */
export interface ApiAnswer {
  status: number;
  body?: unknown;
  markdown?: string;
  headers?: Record<string, string | string[]>;
}

/** What answers a checked request, and says which parameters it is to have been checked for. */
export interface HandlerOf<Request> {
  (request: Request, context: ApiContext): Promise<ApiAnswer>;
  /** The names of the parameters that its query may have; absent: it takes none. */
  readonly parameters?: readonly string[];
}

export type Handler<Body = undefined> = HandlerOf<ApiRequest<Body>>;

/** What a handler of the admin area gets beside: the admin who asks, and the session. */
export interface AdminRequest<Body = undefined> extends ApiRequest<Body> {
  signedIn: SignedIn;
}

export type AdminHandler<Body = undefined> = HandlerOf<AdminRequest<Body>>;

/** A line of the table. */
export interface Route {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  access: Access;
  /** What it takes, `noFields` for nothing; null where it is not even read. */
  body: Validator<unknown> | null;
  /** How long its body may be; `limits.requestBytesMax` where the line does not say. */
  bodyBytesMax?: number;
  /** True for the probes and for what is answered from memory: they neither wait nor hold others up. */
  withoutPermit?: boolean;
  handler: HandlerOf<never>;
}

/** A line as the tables write it: its place, and the scope that the API key needs; null: no key. */
type KeyLine = Pick<Route, 'method' | 'path'> & { scope: Scope | null };

/** What it takes, and how much of it. */
type BodyOf<Body> = Pick<Route, 'bodyBytesMax'> & { body: Validator<Body> };

/** Makes a line for callers with an API key, or for all, whose handler takes no body. */
export function route(line: KeyLine & Pick<Route, 'withoutPermit'> & { handler: Handler }): Route {
  const { scope, ...rest } = line;
  // What is open to all answers the same whatever is sent.
  const body = scope === null ? null : noBodyOf(line.method);
  return { ...rest, access: keyAccess(scope), body };
}

/**
 * A call that takes nothing must not seem to have taken something. A GET's content means nothing
 * (RFC 9110 §9.3.1); a DELETE's does not either (§9.3.5), but whoever sends one has a wish.
 */
function noBodyOf(method: Route['method']): Validator<unknown> | null {
  return method === 'get' ? null : noFields;
}

/** Makes a line whose handler takes the body that its validator lets through. */
export function routeWithBody<Body>(
  line: KeyLine & BodyOf<Body> & { handler: Handler<Body> },
): Route {
  const { scope, ...rest } = line;
  return { ...rest, access: keyAccess(scope) };
}

function keyAccess(scope: Scope | null): Access {
  return scope === null ? { kind: 'open' } : { kind: 'key', scope };
}

/** A line of the admin area: what the admin who asks must be. */
type AdminLine = Pick<Route, 'method' | 'path'> & { needs: AdminNeed };

/** Makes a line for signed-in admins, whose handler takes no body. */
export function adminRoute(line: AdminLine & { handler: AdminHandler }): Route {
  const { method, path, needs, handler } = line;
  const body = noBodyOf(method);
  return { method, path, access: { kind: 'admin', needs }, body, handler };
}

/** The same with a body. */
export function adminRouteWithBody<Body>(
  line: AdminLine & BodyOf<Body> & { handler: AdminHandler<Body> },
): Route {
  const { needs, ...rest } = line;
  return { ...rest, access: { kind: 'admin', needs } };
}

/** Makes a line of the admin area for those who are not signed in yet. */
export function signInRoute<Body>(
  line: Pick<Route, 'method' | 'path'> & BodyOf<Body> & { handler: Handler<Body> },
): Route {
  return { ...line, access: { kind: 'own_pages' } };
}

/** Makes the router of a table. */
export function createRouter(context: ApiContext, routes: readonly Route[]): Router {
  const router = new Router();
  refuseOtherMethods(router, routes);
  for (const line of routes) {
    router[line.method](line.path, nameRoute(line), answer(line, context));
  }
  return router;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/**
 * Keeps paths that end in a word from lines that end in a uid: `GET …/sdkusers/auth` is 405 like any
 * path that takes a POST only, and no question for the user "auth".
 */
function refuseOtherMethods(router: Router, routes: readonly Route[]): void {
  const stems = new Set(routes.map(({ path }) => /^(.*\/):\w+$/.exec(path)?.[1]));
  for (const { path } of routes) {
    const stem = path.slice(0, path.lastIndexOf('/') + 1);
    if (!stems.has(stem) || path.startsWith(':', stem.length)) continue;
    const own = routes.filter((line) => line.path === path).map(({ method }) => method);
    const allow = own.flatMap((method) => (method === 'get' ? ['head', 'get'] : [method]));
    for (const method of methods.filter((each) => !own.includes(each))) {
      router[method](path, () => refuseMethod(allow.join(', ').toUpperCase()));
    }
  }
}

function refuseMethod(allow: string): never {
  throw new HttpError('method_not_allowed', `this path takes ${allow}`, { headers: { allow } });
}

function nameRoute(line: Route): Middleware {
  return async (ctx, next) => {
    ctx.state['route'] = line.path;
    await next();
  };
}

// While MongoDB is away callers hear so within 15 s, whatever their call waits for.
const admittedWithinMs = 6_000;
const answeredWithinMs = 12_000;

function answer(line: Route, context: ApiContext): (ctx: RouterContext) => Promise<void> {
  return async (ctx) => {
    const params = ctx.params;
    const appUid = params['appUid'] ?? '';
    const { req } = ctx;
    if (line.access.kind !== 'open') ctx.state['appUid'] = params['appUid'];
    const address = clientAddress(req, context.config.http.trustedProxyHops);
    const applicant = { request: req, appUid, address };
    const begunMs = performance.now();
    const admitted = await inTime(admit(context, line.access, applicant), admittedWithinMs);
    const handledWithinMs = answeredWithinMs - (performance.now() - begunMs);
    Object.assign(ctx.state, admitted.logged);
    ctx.set(admitted.headers);
    if (admitted.refusal !== null) throw admitted.refusal;
    const caller: Caller = {
      actor: admitted.actor,
      address,
      requestId: ctx.state['requestId'] as string,
    };
    const query = new URLSearchParams(ctx.querystring);
    // Monitors, caches and identity providers put parameters of their own on what is open to all.
    if (line.access.kind !== 'open') checkParameters(query, line.handler.parameters ?? []);
    const visit = visitOf(ctx);
    const { body: validate, bodyBytesMax: bytesMax = limits.requestBytesMax } = line;
    const body =
      validate === null
        ? undefined
        : validate(await visit.receive((keep) => readJsonBody(req, { bytesMax, keep })));
    const owner = admitted.signedIn?.admin._id ?? '';
    const place = `${line.method} ${line.path}\n${JSON.stringify(params)}${owner}`;
    const request: ApiRequest<unknown> & { signedIn: SignedIn | null } = {
      appUid,
      params,
      place,
      query,
      body,
      idempotencyKey: () => readIdempotencyKey(req.rawHeaders, place, body),
      rawHeaders: req.rawHeaders,
      caller,
      signedIn: admitted.signedIn,
    };
    // The makers of lines above see to it that a handler takes what its access and validator give.
    const handle = (): Promise<ApiAnswer> =>
      inTime(line.handler(request as never, context), handledWithinMs);
    const result = await (line.withoutPermit ? handle() : visit.handle(handle));
    ctx.status = result.status;
    if (result.headers) ctx.set(result.headers);
    // Only an answer with an ETag may be confirmed instead of sent again (RFC 9110 §13.1.2).
    if (result.headers?.['etag'] !== undefined && ctx.fresh) {
      ctx.status = 304;
      return;
    }
    if (result.body !== undefined) {
      ctx.body = JSON.stringify(result.body);
      ctx.type = 'application/json';
    } else if (result.markdown !== undefined) {
      ctx.body = result.markdown;
      ctx.type = 'text/markdown; charset=utf-8';
    }
  };
}
