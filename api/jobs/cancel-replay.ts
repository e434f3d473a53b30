import type { Handler } from '../route.ts';
import { cancelJob } from './cancel-job.ts';
import { findReplay } from './get-replay.ts';
import { presentReplay, replaySchema } from './present-replay.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'cancelReplay',
  summary: 'Cancel a replay',
  answers: { 200: { description: 'The replay', schema: replaySchema } },
};

/** Deliveries already queued are still made. A replay that has ended does not change. Throws `not_found`. */
export const cancelReplay: Handler = operation(facts, async (request, context) => {
  await cancelJob(request, context, await findReplay(request, context));
  return { status: 200, body: presentReplay(await findReplay(request, context)) };
});
