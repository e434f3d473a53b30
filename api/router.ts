// The table of routes, and the checks before each handler, in this order: credential, query, body.
import { Readable } from 'node:stream';
import { Router, type RouterContext } from '@koa/router';
import { withTimeout } from '../lib/concurrency/with-timeout.ts';
import { httpLimits, limits } from '../lib/limits.ts';
import type { Scope } from '../lib/model/api-key.ts';
import type { Caller } from '../lib/model/audit-log.ts';
import type { IdempotencyKey } from '../lib/model/idempotency.ts';
import type { AdminNeed, SignedIn } from './access/admit-admin.ts';
import type { ApiContext } from './context.ts';
import { visitOf } from './access/shed-load.ts';
import { type Access, admit } from './access/admit.ts';
import { partyOf } from './access/party.ts';
import { clientAddress } from './http/client-address.ts';
import { confirmIfKnown } from './http/entity-tag.ts';
import { readIdempotencyKey } from './http/idempotency-header.ts';
import { HttpError } from './http/problems.ts';
import type { Operation } from './http/operation.ts';
import { checkParameters, type ParameterTable } from './http/query-values.ts';
import { readJsonBody } from './http/read-json-body.ts';
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

/** The scope that an API key needs. Null means open to all. */
type KeyLine = Pick<Route, 'method' | 'path' | 'id'> & { scope: Scope | null };

type BodyOf<Body> = Pick<Route, 'bodyBytesMax'> & { body: Validator<Body> };

export function route(line: KeyLine & Pick<Route, 'withoutPermit'> & { handler: Handler }): Route {
  const { scope, ...rest } = line;
  const body = scope === null ? null : noBodyOf(line.method);
  return { ...rest, access: keyAccess(scope), body };
}

/** Only a GET has content without a meaning, which is ignored (RFC 9110 §9.3.1). */
function noBodyOf(method: Route['method']): Validator<unknown> | null {
  return method === 'get' ? null : noFields;
}

export function routeWithBody<Body>(
  line: KeyLine & BodyOf<Body> & { handler: Handler<Body> },
): Route {
  const { scope, ...rest } = line;
  return { ...rest, access: keyAccess(scope) };
}

function keyAccess(scope: Scope | null): Access {
  return scope === null ? { kind: 'open' } : { kind: 'key', scope };
}

type AdminLine = Pick<Route, 'method' | 'path'> & { needs: AdminNeed };

export function adminRoute(line: AdminLine & { handler: AdminHandler }): Route {
  const { needs, ...rest } = line;
  return { ...rest, access: { kind: 'admin', needs }, body: noBodyOf(line.method) };
}

export function adminRouteWithBody<Body>(
  line: AdminLine & BodyOf<Body> & { handler: AdminHandler<Body> },
): Route {
  const { needs, ...rest } = line;
  return { ...rest, access: { kind: 'admin', needs } };
}

/** Returns a route for the pages of the admin area before the sign-in. */
export function signInRoute<Body>(
  line: Pick<Route, 'method' | 'path'> & BodyOf<Body> & { handler: Handler<Body> },
): Route {
  return { ...line, access: { kind: 'own_pages' } };
}

/** The base paths of an application's calls, for API keys and for admins. */
export const appPaths = {
  key: '/api/v1/appuid/:appUid',
  admin: '/admin/api/apps/:appUid',
} as const;

/** `path` follows the path of the application. Admins need the role `viewer` to read and `admin` to change. */
type AppLine = Pick<Route, 'method' | 'path' | 'id'> & { scope: Scope };

/** Returns the route for API keys, and the same call for admins. */
export function appRoute({ scope, ...line }: AppLine & { handler: Handler }): Route[] {
  return forBoth({ ...line, body: noBodyOf(line.method) }, scope);
}

export function appRouteWithBody<Body>({
  scope,
  ...line
}: AppLine & BodyOf<Body> & { handler: Handler<Body> }): Route[] {
  return forBoth(line, scope);
}

function forBoth(line: Omit<Route, 'access'>, scope: Scope): Route[] {
  const needs = line.method === 'get' ? 'viewer' : 'admin';
  return [
    { ...line, path: appPaths.key + line.path, access: { kind: 'key', scope } },
    { ...line, path: appPaths.admin + line.path, access: { kind: 'admin', needs } },
  ];
}

export function createRouter(context: ApiContext, routes: readonly Route[]): Router {
  const router = new Router();
  refuseOtherMethods(router, routes);
  for (const line of routes) router[line.method](line.path, answer(line, context));
  return router;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Keeps paths that end in a word from matching routes that end in a uid: `GET …/sdkusers/auth` is a 405. */
function refuseOtherMethods(router: Router, routes: readonly Route[]): void {
  const stems = new Set(routes.map(({ path }) => /^(.*\/):\w+$/.exec(path)?.[1]));
  for (const { path } of routes) {
    const stem = path.slice(0, path.lastIndexOf('/') + 1);
    if (!stems.has(stem) || path.startsWith(':', stem.length)) continue;
    const own = routes.filter((line) => line.path === path).map(({ method }) => method);
    const taken = own.flatMap((method) => (method === 'get' ? ['head', 'get'] : [method]));
    const allow = taken.join(', ').toUpperCase();
    router.options(path, (ctx) => {
      ctx.body = '';
      ctx.set('allow', allow);
    });
    for (const method of methods.filter((each) => !own.includes(each))) {
      const detail = `this path accepts ${allow}`;
      router[method](path, () => {
        throw new HttpError('method_not_allowed', detail, { headers: { allow } });
      });
    }
  }
}

function timeLeftMs(begunMs: number): number {
  const leftMs = httpLimits.responseTimeoutMs - (performance.now() - begunMs);
  return Math.max(httpLimits.handlingMsMin, leftMs);
}

async function answerInTime(answering: Promise<ApiAnswer>, timeoutMs: number): Promise<ApiAnswer> {
  try {
    return await withTimeout(answering, timeoutMs);
  } catch (error) {
    // Nobody would read a stream that opens after the client has left, and it would count as open forever.
    answering.then(closeStream, () => undefined);
    throw error;
  }
}

function closeStream({ content }: ApiAnswer): void {
  if (content?.bytes instanceof Readable) content.bytes.destroy();
}

function answer(line: Route, context: ApiContext): (ctx: RouterContext) => Promise<void> {
  const { keyPepper: pepper, http } = context.config;
  const publicPath = new URL(http.publicUrl).pathname.replace(/\/$/, '');
  return async (ctx) => {
    ctx.state['route'] = line.path;
    const { params, req } = ctx;
    const appUid = params['appUid'] ?? '';
    if (line.access.kind !== 'open') ctx.state['appUid'] = params['appUid'];
    const address = clientAddress(req, context.config.http.trustedProxyHops);
    const applicant = { request: req, appUid, address };
    const begunMs = performance.now();
    const admission = admit(context, line.access, applicant);
    const admitted = await withTimeout(admission, httpLimits.authenticationTimeoutMs);
    Object.assign(ctx.state, admitted.logged);
    ctx.set(admitted.headers);
    if (admitted.refusal !== null) throw admitted.refusal;
    const query = new URLSearchParams(ctx.querystring);
    // Monitors, caches and identity providers add their own parameters.
    if (line.access.kind !== 'open') checkParameters(query, line.handler.parameters ?? {});
    const visit = visitOf(ctx);
    const { actor, signedIn } = admitted;
    const party = partyOf({ actor, admin: signedIn?.admin ?? null, appUid, address });
    const { body: validate, bodyBytesMax: bytesMax = limits.requestBytesMax } = line;
    const sent =
      validate === null
        ? null
        : await visit.receive(party, (reception) =>
            readJsonBody(req, { ...reception, bytesMax, validate }),
          );
    const owner = admitted.signedIn?.admin._id ?? '';
    const callScope = `${line.method} ${line.path}\n${JSON.stringify(params)}${owner}`;
    const appPath = appPaths[line.access.kind === 'admin' ? 'admin' : 'key'];
    const request: ApiRequest<unknown> = {
      appUid,
      appPath: appPath.replace(':appUid', () => appUid),
      params,
      callScope,
      query,
      body: sent?.body,
      bodyText: sent?.text ?? '',
      idempotencyKey: () => {
        // Only calls that the contract says take a key.
        if (!line.handler.operation.takesIdempotencyKey)
          throw new Error(`${line.path} takes no key`);
        return readIdempotencyKey(req.rawHeaders, { scope: callScope, pepper }, sent?.body);
      },
      rawHeaders: req.rawHeaders,
      caller: { actor: admitted.actor, address, requestId: ctx.state['requestId'] as string },
      signedIn: admitted.signedIn,
    };
    // Safe, because the functions above pair a handler with its access and validator.
    const handle = (): Promise<ApiAnswer> =>
      answerInTime(line.handler(request as never, context), timeLeftMs(begunMs));
    const result = await (line.withoutPermit ? handle() : visit.handle(party, handle));
    writeAnswer(ctx, result, publicPath);
  };
}

function writeAnswer(ctx: RouterContext, result: ApiAnswer, publicPath: string): void {
  ctx.status = result.status;
  if (result.headers) ctx.set(result.headers);
  const { location } = result.headers ?? {};
  // A proxy has removed this part of the path.
  if (typeof location === 'string' && location.startsWith('/')) {
    ctx.set('location', publicPath + location);
  }
  const tag = result.headers?.['etag'];
  if (typeof tag === 'string' && confirmIfKnown(ctx, tag)) return;
  if (result.body !== undefined) {
    ctx.body = JSON.stringify(result.body);
    ctx.type = 'application/json';
  } else if (result.content !== undefined) {
    ctx.body = result.content.bytes;
    ctx.type = result.content.type;
  } else {
    // Koa would write the name of the status as the body.
    ctx.body = null;
    ctx.status = result.status;
  }
}
