import { operation, type Operation } from '../http/operation.ts';
import type { Handler } from '../route.ts';
import { cancelJob } from './cancel-job.ts';
import { findSync } from './get-sync.ts';
import { presentSync, syncSchema } from './present-sync.ts';

const facts: Operation = {
  id: 'cancelSync',
  summary: 'Cancel a sync',
  description: 'Deliveries already queued are still made.',
  answers: { 200: { description: 'The sync', schema: syncSchema } },
};

/** A sync that has ended does not change. Throws `not_found`. */
export const cancelSync: Handler = operation(facts, async (request, context) => {
  await cancelJob(request, context, await findSync(request, context));
  return { status: 200, body: presentSync(await findSync(request, context)) };
});
