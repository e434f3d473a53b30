// GET /readyz: whether this process should get requests, part by part.
import type { Handler } from '../router.ts';

/**
 * Answers 200 when every server is `ok` and the process does not stop, else 503 with what is wrong. Load
 * shows in `parts` only: a balancer that acted on it would take out all processes at the same time.
 */
export const getReadiness: Handler = async (_request, context) => {
  const servers = await context.inspectServers();
  const isWell = Object.values(servers).every((state) => state === 'ok');
  const parts = { ...servers, load: context.load.overload() ?? 'ok' };
  const ready = isWell && !context.draining;
  const status = context.draining ? 'stopping' : ready ? 'ready' : 'not ready';
  return { status: ready ? 200 : 503, body: { status, parts } };
};
