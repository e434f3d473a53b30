import type { Middleware } from 'koa';
import type { ApiContext } from '../context.ts';

/** Ends keep-alive once the process stops: the next request goes elsewhere, and `server.close()` can finish. */
export function announceDrain(context: ApiContext): Middleware {
  return async (ctx, next) => {
    await next();
    if (context.draining) ctx.set('connection', 'close');
  };
}
