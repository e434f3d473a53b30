import type { Middleware } from 'koa';
import { httpLog } from '../../lib/platform/logger.ts';
import type { ApiContext } from '../context.ts';
import { isProbe } from './probes.ts';
import { clientAddress } from './client-address.ts';

const loggedPathMax = 200;

/** Logs `request.completed`; for rejections under load, at debug, because `load.shed` counts them (access/load.ts). */
export function logRequest({ config }: Pick<ApiContext, 'config'>): Middleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    await next();
    const isQuiet = isProbe(ctx.path) || ctx.state['errorCode'] === 'overloaded';
    const level = isQuiet ? 'debug' : ctx.status >= 500 ? 'error' : 'info';
    httpLog[level](
      {
        requestId: ctx.state['requestId'],
        method: ctx.method,
        route: ctx.state['route'] ?? null,
        // Omits the query, which may contain secrets.
        path: ctx.state['route'] === undefined ? ctx.path.slice(0, loggedPathMax) : undefined,
        remoteAddress: clientAddress(ctx.req, config.http.trustedProxyHops),
        status: ctx.status,
        code: ctx.state['errorCode'],
        fault: ctx.state['fault'],
        err: ctx.state['error'],
        appUid: ctx.state['appUid'],
        keyId: ctx.state['keyId'],
        adminUid: ctx.state['adminUid'],
        durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
      },
      'request.completed',
    );
  };
}
