import type { Middleware } from 'koa';

// No cookie counts here, so a hostile page with this origin can do no more than a program without a browser.
const open = /^\/(?:api\/|\.well-known\/|openapi\.json$)/;

/** Lets the pages at /docs call with an API key: their sandbox makes their origin `null`. */
export const allowSandboxedPage: Middleware = async (ctx, next) => {
  if (ctx.get('origin') !== 'null' || !open.test(ctx.path)) return next();
  ctx.set({ 'access-control-allow-origin': 'null', 'access-control-expose-headers': '*' });
  const isPreflight = ctx.method === 'OPTIONS' && ctx.get('access-control-request-method') !== '';
  if (!isPreflight) return next();
  ctx.set('access-control-allow-methods', '*');
  ctx.set('access-control-allow-headers', '*, authorization');
  ctx.status = 204;
  return undefined;
};
