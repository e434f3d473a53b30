// Commits a change together with its event, or neither.
import { processLimits } from '../../lib/limits.ts';
import { type Entity, entityOf } from '../../lib/model/event-name.ts';
import type { IdempotencyKey } from '../../lib/model/idempotency.ts';
import { answerRepeat } from '../../lib/mongo/idempotency.ts';
import { instruments } from '../../lib/telemetry/instruments.ts';
import { inSpanOfTrace } from '../../lib/telemetry/spans.ts';
import { currentTrace } from '../../lib/telemetry/trace-context.ts';
import type { ApiContext } from '../context.ts';
import { commitAlone, type PendingChange, type Write } from './commit-changes.ts';
import type { Change, Recorded } from './make-events.ts';

const commit = { name: 'commit change' };

interface Recording {
  appUid: string;
  key: IdempotencyKey | null;
  /** Whatever may be changed. */
  entities: readonly Entity[];
  /** True for a change of many resources, which others must not wait for. */
  isLarge?: boolean;
}

/**
 * Runs `write` in a transaction (w: majority, j: true) with the events of the changes it returns, then dispatches them;
 * the relay starts what the dispatcher does not. `write` runs again on a write conflict, so it must act through the
 * session alone. A repeat of an idempotency key gets the first answer. Throws `payload_too_large`.
 */
export async function recordChange<T>(
  context: ApiContext,
  { appUid, key, entities, isLarge = false }: Recording,
  write: Write<T>,
): Promise<T> {
  const { store, secretBox } = context;
  const now = context.clock.now();
  const beginBeforeMs = performance.now() + processLimits.transactionBeginsMsMax;
  // Not in the transaction, so that concurrent changes share a read; a webhook registered before gets the event.
  const webhooks = await context.findWebhooks({ appUid, entities });
  const once = key === null ? null : { key, secretBox, now };
  const pending = { appUid, now, beginBeforeMs, webhooks, write, once, ...placeInTrace() };
  try {
    const { answer, recorded } = await inSpanOfTrace(commit, () =>
      isLarge ? commitAlone(context, pending) : context.commitChange(pending),
    );
    dispatch(context, recorded);
    return answer as T;
  } catch (error) {
    if (once === null) throw error;
    return answerRepeat<T>(store, once, error);
  }
}

/** Records and dispatches the event of a change that was made elsewhere. Throws `payload_too_large`. */
export async function recordReport(
  context: ApiContext,
  appUid: string,
  change: Change,
): Promise<void> {
  const now = context.clock.now();
  const beginBeforeMs = performance.now() + processLimits.transactionBeginsMsMax;
  const webhooks = await context.findWebhooks({ appUid, entities: [entityOf(change.event)] });
  const reported = { appUid, now, beginBeforeMs, webhooks, write: change, once: null };
  const pending: PendingChange = { ...reported, ...placeInTrace() };
  const { recorded } = await inSpanOfTrace(commit, () => context.commitChange(pending));
  dispatch(context, recorded);
}

function placeInTrace(): Pick<PendingChange, 'trace'> {
  const trace = currentTrace();
  return trace === null ? {} : { trace };
}

/** Makes the first attempts of committed events, and starts their workflows, both in the background. */
export function dispatch(
  { headStart, dispatcher }: Pick<ApiContext, 'headStart' | 'dispatcher'>,
  recorded: readonly Recorded[],
): void {
  for (const { event, subscribers } of recorded) {
    instruments.eventsRecorded.add(1, { event: event.event });
    headStart?.begin(event, subscribers);
  }
  dispatcher.dispatch(recorded.map(({ event }) => event));
}
