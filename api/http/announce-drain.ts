import type { Middleware } from 'koa';
import type { ApiContext } from '../context.ts';

/** Ends keep-alive during shutdown, so that clients move to another process and `server.close()` can finish. */
export function announceDrain(context: ApiContext): Middleware {
  return async (ctx, next) => {
    await next();
    if (context.draining) ctx.set('connection', 'close');
  };
}
