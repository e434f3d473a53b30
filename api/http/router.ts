// The table of routes and what stands before each handler: credential, scope, body, in that order.
import { Router } from '@koa/router';
import type { RouterContext } from '@koa/router';
import type { Middleware } from 'koa';
import type { Scope } from '../../lib/store/api-keys.ts';
import type { Caller } from '../../lib/store/audit-log.ts';
import { idempotencyKey } from '../../lib/store/idempotency.ts';
import type { IdempotencyKey } from '../../lib/store/idempotency.ts';
import type { ApiContext } from '../context.ts';
import { authenticate } from '../keys/authenticate.ts';
import { readIdempotencyHeader } from './idempotency-header.ts';
import { readJsonBody } from './read-json-body.ts';
import type { Validator } from './validate.ts';

/** What a handler gets of a request: checked, and free of Koa. */
export interface ApiRequest<Body = undefined> {
  /** The application of the path and of the key; empty on the few routes without a key. */
  appUid: string;
  params: Readonly<Record<string, string>>;
  query: URLSearchParams;
  body: Body;
  /** Set when the caller sent `Idempotency-Key` on a POST that creates. */
  idempotency: IdempotencyKey | null;
  /** Who asks and from where, for the audit log. */
  caller: Caller;
}

/** What a handler gives: a status, a body (JSON, or Markdown for people) or none, and headers of its own. */
export interface ApiAnswer {
  status: number;
  body?: unknown;
  markdown?: string;
  headers?: Record<string, string>;
}

export type Handler<Body = undefined> = (
  request: ApiRequest<Body>,
  context: ApiContext,
) => Promise<ApiAnswer>;

/** A line of the table. `scope` null means that the route takes no key. */
export interface Route {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  path: string;
  scope: Scope | null;
  body: Validator<unknown> | null;
  handler: Handler<never>;
}

/** Makes a line of the table whose handler takes no body. */
export function route(
  line: Pick<Route, 'method' | 'path' | 'scope'> & { handler: Handler },
): Route {
  return { ...line, body: null, handler: line.handler };
}

/** Makes a line whose handler takes the body that its validator lets through. */
export function routeWithBody<Body>(
  line: Pick<Route, 'method' | 'path' | 'scope'> & {
    body: Validator<Body>;
    handler: Handler<Body>;
  },
): Route {
  return { ...line, handler: line.handler };
}

/** Makes the router of a table. */
export function createRouter(context: ApiContext, routes: readonly Route[]): Router {
  const router = new Router();
  for (const line of routes) {
    router[line.method](line.path, nameRoute(line), answer(line, context));
  }
  return router;
}

function nameRoute(line: Route): Middleware {
  return async (ctx, next) => {
    ctx.state['route'] = line.path;
    await next();
  };
}

function answer(line: Route, context: ApiContext): (ctx: RouterContext) => Promise<void> {
  return async (ctx) => {
    const params = ctx.params;
    const appUid = params['appUid'] ?? '';
    const caller: Caller = {
      actor: { kind: 'system', uid: null },
      address: ctx.req.socket.remoteAddress ?? null,
      requestId: ctx.state['requestId'] as string,
    };
    if (line.scope !== null) {
      ctx.state['appUid'] = appUid;
      const key = await authenticate(context, ctx.req.rawHeaders, { appUid, scope: line.scope });
      ctx.state['keyId'] = key.keyId;
      caller.actor = { kind: 'api_key', uid: key._id };
    }
    const header = readIdempotencyHeader(ctx.req.rawHeaders);
    const body = line.body === null ? undefined : line.body(await readJsonBody(ctx.req));
    // Of the route and not the path, of which the router takes more than one spelling.
    const scope = `${line.method} ${line.path}\n${JSON.stringify(params)}`;
    const result = await line.handler(
      {
        appUid,
        params,
        query: new URLSearchParams(ctx.querystring),
        body: body as never,
        idempotency: header === null ? null : idempotencyKey(scope, header, body),
        caller,
      },
      context,
    );
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
