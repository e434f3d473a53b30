import type { Middleware } from 'koa';
import type { ApiContext } from '../context.ts';

/** Ends keep-alive: a busy connection would outlive `server.close()`, which would never finish. */
export function announceDrain(context: ApiContext): Middleware {
  return async (ctx, next) => {
    await next();
    if (context.draining) ctx.set('connection', 'close');
  };
}
