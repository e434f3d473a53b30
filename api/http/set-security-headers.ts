// Headers that every answer carries, so that no browser or cache makes more of it than it is.
import type { Middleware } from 'koa';

/** Answers may hold secrets and tokens: nothing stores them unless a handler says otherwise. */
export const setSecurityHeaders: Middleware = async (ctx, next) => {
  ctx.set('x-content-type-options', 'nosniff');
  ctx.set('cache-control', 'no-store');
  await next();
};
