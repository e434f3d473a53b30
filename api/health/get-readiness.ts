// GET /readyz: whether this process should get requests, part by part.
import { inspectServers } from '../../lib/readiness.ts';
import type { Handler } from '../http/router.ts';

/** Answers 200 when every part is `ok` and the process is not stopping, else 503 with what is wrong. */
export const getReadiness: Handler = async (_request, context) => {
  const servers = await inspectServers(context.servers);
  const parts = { ...servers, load: context.load.overload() ?? 'ok' };
  const ready = !context.draining && Object.values(parts).every((state) => state === 'ok');
  const status = context.draining ? 'stopping' : ready ? 'ready' : 'not ready';
  return { status: ready ? 200 : 503, body: { status, parts } };
};
