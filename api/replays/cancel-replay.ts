// POST …/webhooks/{webhookUid}/replays/{replayUid}/cancel: stops a replay that still runs.
import type { Handler } from '../http/router.ts';
import { findReplay } from './get-replay.ts';
import { presentReplay } from './present-replay.ts';

/**
 * Stops a replay: what was handed on is delivered, nothing more is. One that has ended stays as it
 * ended. Throws `not_found`.
 */
export const cancelReplay: Handler = async (request, context) => {
  const replay = await findReplay(request, context);
  await context.store.redeliveries.updateOne(
    { _id: replay._id, appUid: request.appUid, state: 'running' },
    { $set: { state: 'cancelled', finishedAt: context.clock.now() } },
  );
  return { status: 200, body: presentReplay(await findReplay(request, context)) };
};
