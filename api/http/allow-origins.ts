import type { Context, Middleware } from 'koa';

// Cookies do not count there, so a hostile page with the origin `null` can do no more than any program.
const withKey = /^\/api\//;

/**
 * Lets pages of other origins read responses (CORS): any page for open paths, but for calls with a key only the pages
 * at /docs, whose sandbox makes their origin `null`. Keys do not belong in any other page.
 */
export function allowOrigins(openPaths: RegExp): Middleware {
  return async (ctx, next) => {
    if (openPaths.test(ctx.path)) {
      ctx.set({
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
      });
    } else if (withKey.test(ctx.path)) {
      ctx.set('vary', 'origin');
      if (ctx.get('origin') !== 'null') return next();
      ctx.set('access-control-allow-origin', 'null');
    } else {
      return next();
    }
    ctx.set('access-control-expose-headers', '*');
    if (!isPreflight(ctx)) return next();
    ctx.set('access-control-allow-methods', '*');
    ctx.set('access-control-allow-headers', '*, authorization');
    ctx.status = 204;
    return undefined;
  };
}

function isPreflight({ method, headers }: Context): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
}
