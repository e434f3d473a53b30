// One log line a request, when it is answered: who, what, how it ended, how long it took.
import type { Middleware } from 'koa';
import { httpLog } from '../../lib/logger.ts';

const loggedPathMax = 200;

/** Logs `request.completed`; errors of ours at level error with their cause, health checks at debug. */
export const logRequest: Middleware = async (ctx, next) => {
  const startedAt = performance.now();
  await next();
  const level = ctx.status >= 500 ? 'error' : isProbe(ctx.path) ? 'debug' : 'info';
  httpLog[level](
    {
      requestId: ctx.state['requestId'],
      method: ctx.method,
      route: ctx.state['route'] ?? null,
      // Where no route tells it; the query may hold anything and is left out.
      path: ctx.state['route'] === undefined ? ctx.path.slice(0, loggedPathMax) : undefined,
      remoteAddress: ctx.req.socket.remoteAddress,
      status: ctx.status,
      code: ctx.state['errorCode'],
      err: ctx.state['error'],
      appUid: ctx.state['appUid'],
      keyId: ctx.state['keyId'],
      adminUid: ctx.state['adminUid'],
      durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
    },
    'request.completed',
  );
};

function isProbe(path: string): boolean {
  return path === '/healthz' || path === '/readyz';
}
