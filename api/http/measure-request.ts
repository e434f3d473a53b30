import type { Middleware } from 'koa';
import { instruments } from '../../lib/telemetry/instruments.ts';
import { methodOf } from './method-of.ts';

/** Measures each request by the template of its route. */
export const measureRequest: Middleware = async (ctx, next) => {
  const startedAt = performance.now();
  await next();
  const route = ctx.state['route'] as string | undefined;
  instruments.httpRequestDuration.record((performance.now() - startedAt) / 1_000, {
    'http.request.method': methodOf(ctx),
    ...(route === undefined ? {} : { 'http.route': route }),
    'http.response.status_code': ctx.status,
  });
};
