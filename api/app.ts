import Koa from 'koa';
import { serveConsole } from './console/serve-console.ts';
import type { ApiContext } from './context.ts';
import { allowOrigins } from './http/allow-origins.ts';
import { announceDrain } from './http/announce-drain.ts';
import { assignRequestId } from './http/assign-request-id.ts';
import { measureRequest } from './http/measure-request.ts';
import { logRequest } from './http/log-request.ts';
import { renderErrors } from './http/render-errors.ts';
import { createRouter } from './router.ts';
import type { Route } from './route.ts';
import { setSecurityHeaders } from './http/set-security-headers.ts';
import { traceRequest } from './http/trace-request.ts';
import { warnOfProxy } from './http/warn-of-proxy.ts';
import { shedLoad } from './access/shed-load.ts';
import { routes } from './routes.ts';

// Only the service's own pages may use the admin area, even before the sign-in.
const isForAll = ({ access, path }: Route): boolean =>
  access.kind === 'open' && !path.startsWith('/admin/');
const openPaths = new RegExp(
  `^(${routes
    .filter(isForAll)
    .map(({ path }) => path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+'))
    .join('|')})$`,
);

export function createKoaApp(context: ApiContext): Koa {
  const app = new Koa({ proxy: false });
  const router = createRouter(context, routes);

  app.use(measureRequest);
  app.use(traceRequest);
  app.use(assignRequestId);
  app.use(logRequest(context));
  app.use(warnOfProxy(context));
  app.use(announceDrain(context));
  app.use(setSecurityHeaders(context.config.http.publicUrl));
  app.use(allowOrigins(openPaths));
  app.use(renderErrors);
  app.use(shedLoad(context));
  app.use(serveConsole());
  app.use(router.routes());
  app.use(router.allowedMethods());
  return app;
}
