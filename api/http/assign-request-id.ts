import type { Middleware } from 'koa';
import { newId } from '../../lib/platform/ids.ts';

const acceptable = /^[A-Za-z0-9_-]{8,64}$/;

export const assignRequestId: Middleware = async (ctx, next) => {
  const given = ctx.get('x-request-id');
  const requestId = acceptable.test(given) ? given : newId('req');
  ctx.state['requestId'] = requestId;
  ctx.set('x-request-id', requestId);
  await next();
};
