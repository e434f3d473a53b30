import type { Context, Middleware } from 'koa';
import type { ApiContext } from '../context.ts';
import { isProbe } from '../http/probes.ts';
import type { Visit } from './load.ts';

/** Starts the visit of a request. Throws `overloaded`, except for probes. */
export function shedLoad({ load }: Pick<ApiContext, 'load'>): Middleware {
  return async (ctx, next) => {
    const visit = load.enter({ always: isProbe(ctx.path) });
    ctx.state['visit'] = visit;
    try {
      await next();
    } finally {
      visit.leave();
    }
  };
}

export function visitOf(ctx: Pick<Context, 'state'>): Visit {
  return ctx.state['visit'] as Visit;
}
