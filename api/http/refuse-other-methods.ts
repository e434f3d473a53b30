import type { Router } from '@koa/router';
import type { Route } from '../route.ts';
import { HttpError } from './problems.ts';

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** Keeps paths that end in a word from matching routes that end in a uid: `GET …/sdkusers/auth` is a 405. */
export function refuseOtherMethods(router: Router, routes: readonly Route[]): void {
  const stems = new Set(routes.map(({ path }) => /^(.*\/):\w+$/.exec(path)?.[1]));
  for (const { path } of routes) {
    const stem = path.slice(0, path.lastIndexOf('/') + 1);
    if (!stems.has(stem) || path.startsWith(':', stem.length)) continue;
    const own = routes.filter((line) => line.path === path).map(({ method }) => method);
    const taken = own.flatMap((method) => (method === 'get' ? ['head', 'get'] : [method]));
    const allow = taken.join(', ').toUpperCase();
    router.options(path, (ctx) => {
      ctx.body = '';
      ctx.set('allow', allow);
    });
    for (const method of methods.filter((each) => !own.includes(each))) {
      const detail = `this path accepts ${allow}`;
      router[method](path, () => {
        throw new HttpError('method_not_allowed', detail, { headers: { allow } });
      });
    }
  }
}
