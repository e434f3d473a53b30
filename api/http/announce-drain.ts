// Tells keep-alive clients to reconnect elsewhere once this process is stopping.
import type { Middleware } from 'koa';
import type { ApiContext } from '../context.ts';

/**
 * Sets `Connection: close` while draining. Without it a busy client's connection stays open after
 * `server.close()` and its next request is accepted, so the server would never finish.
 */
export function announceDrain(context: ApiContext): Middleware {
  return async (ctx, next) => {
    await next();
    if (context.draining) ctx.set('connection', 'close');
  };
}
