import type { Handler } from '../route.ts';
import { named, objectOf, oneOfTexts, text } from '../http/schemas.ts';
import { operation, type Operation } from '../http/operation.ts';
import { type Readiness } from '../../lib/health/readiness.ts';

const readinessSchema = named(
  'Readiness',
  objectOf<{ status: string; parts: unknown }>({
    status: oneOfTexts(['ready', 'not ready', 'stopping']),
    parts: {
      ...objectOf<Readiness & { load: string }>({
        mongodb: text,
        indexes: text,
        temporal: text,
        searchAttributes: text,
        clock: text,
        load: text,
      }),
      description: 'The state of each part: `ok`, or a sentence that describes the fault.',
    },
  }),
);

const facts: Operation = {
  id: 'getReadiness',
  summary: 'Check whether the process is ready for requests',
  answers: {
    200: { description: 'The process is ready', schema: readinessSchema },
    503: { description: 'The process is not ready', schema: readinessSchema },
  },
};

/** Load appears only in `parts`: if it affected the status, a balancer would take out all processes together. */
export const getReadiness: Handler = operation(facts, async (_request, context) => {
  const servers = await context.inspectServers();
  const isWell = Object.values(servers).every((state) => state === 'ok');
  const parts = { ...servers, load: context.load.overload() ?? 'ok' };
  const ready = isWell && !context.draining;
  const status = context.draining ? 'stopping' : ready ? 'ready' : 'not ready';
  return { status: ready ? 200 : 503, body: { status, parts } };
});
