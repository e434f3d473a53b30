import { recordAudit } from '../../lib/access/audit-log.ts';
import { inTransaction } from '../../lib/mongo/transaction.ts';
import type { Handler } from '../router.ts';
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
  const replay = await findReplay(request, context);
  const { store } = context;
  const { appUid, caller } = request;
  await inTransaction(store, async (session) => {
    const now = context.clock.now();
    const cancelled = await store.jobs.updateOne(
      { _id: replay._id, appUid, state: 'running' },
      { $set: { state: 'cancelled', finishedAt: now } },
      { session },
    );
    if (cancelled.matchedCount === 0) return;
    const target = { kind: 'replay', uid: replay._id };
    const entry = { appUid, action: 'replay.cancelled', target };
    await recordAudit(store, entry, { caller, now, session });
  });
  return { status: 200, body: presentReplay(await findReplay(request, context)) };
});
