// GET /readyz: whether this process should get requests, part by part.
import type { Handler } from '../router.ts';

/** Load is in `parts` only: a balancer that acted on it would take out all processes together. */
export const getReadiness: Handler = async (_request, context) => {
  const servers = await context.inspectServers();
  const isWell = Object.values(servers).every((state) => state === 'ok');
  const parts = { ...servers, load: context.load.overload() ?? 'ok' };
  const ready = isWell && !context.draining;
  const status = context.draining ? 'stopping' : ready ? 'ready' : 'not ready';
  return { status: ready ? 200 : 503, body: { status, parts } };
};
