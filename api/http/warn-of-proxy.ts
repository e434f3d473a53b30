import type { Middleware } from 'koa';
import { httpLog } from '../../lib/platform/logger.ts';
import type { ApiContext } from '../context.ts';

/** Behind an untrusted proxy, all clients share its address, and so the throttle of sign-ins. */
export function warnOfProxy({ config }: Pick<ApiContext, 'config'>): Middleware {
  let isLogged = config.http.trustedProxyHops > 0;
  return async (ctx, next) => {
    const forwarded = ctx.headers['x-forwarded-for'] ?? ctx.headers.forwarded;
    if (!isLogged && forwarded !== undefined) {
      isLogged = true;
      // Omits the header's value, which the client chooses.
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
