// Tells the operator of a proxy before the api that the settings do not name.
import type { Middleware } from 'koa';
import { httpLog } from '../../lib/platform/logger.ts';
import type { ApiContext } from '../context.ts';

/**
 * Logs `trusted_proxy.missing`, once a process, when a request says that it was forwarded while no proxy
 * is trusted: then all callers have the proxy's address, and share the throttle of sign-ins.
 */
export function warnOfProxy({ config }: Pick<ApiContext, 'config'>): Middleware {
  let isTold = config.http.trustedProxyHops > 0;
  return async (ctx, next) => {
    const forwarded = ctx.headers['x-forwarded-for'] ?? ctx.headers.forwarded;
    if (!isTold && forwarded !== undefined) {
      isTold = true;
      // What the header holds is the client's to choose, and so stays out.
      const remoteAddress = ctx.req.socket.remoteAddress ?? null;
      const advice =
        'a request came with X-Forwarded-For or Forwarded: if a proxy of yours is at remoteAddress, ' +
        'set HERALD_TRUSTED_PROXY_HOPS to how many there are and let them add X-Forwarded-For; ' +
        'else the client made it up, and it counts for nothing';
      httpLog.warn({ remoteAddress, advice }, 'trusted_proxy.missing');
    }
    await next();
  };
}
