import type { Middleware } from 'koa';
import { instruments } from '../../lib/telemetry/instruments.ts';

// Of HTTP and PATCH; callers may make up others.
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']);

/** Measures each request by the template of its route. */
export const measureRequest: Middleware = async (ctx, next) => {
  const startedAt = performance.now();
  await next();
  const route = ctx.state['route'] as string | undefined;
  instruments.httpRequestDuration.record((performance.now() - startedAt) / 1_000, {
    'http.request.method': methods.has(ctx.method) ? ctx.method : '_OTHER',
    ...(route === undefined ? {} : { 'http.route': route }),
    'http.response.status_code': ctx.status,
  });
};
