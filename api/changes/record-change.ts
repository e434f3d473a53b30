// Commits a change together with its event, or neither.
import { inSlices } from '../../lib/concurrency/in-slices.ts';
import { processLimits } from '../../lib/limits.ts';
import { type ChangedEntity, entityOf } from '../../lib/model/event-name.ts';
import type { IdempotencyKey } from '../../lib/model/idempotency.ts';
import { answerRepeat } from '../../lib/mongo/idempotency.ts';
import { instruments } from '../../lib/telemetry/instruments.ts';
import { inSpanOfTrace } from '../../lib/telemetry/spans.ts';
import { currentTrace } from '../../lib/telemetry/trace-context.ts';
import type { ApiContext } from '../context.ts';
import { commitAlone } from './commit-changes.ts';
import { address, type AddressedChange, type Change, type Recorded } from './make-events.ts';
import { checkPayloadSize } from './payload-size.ts';
import type { PendingChange, Write } from './write-changes.ts';

const commit = { name: 'commit change' };

interface Recording {
  appUid: string;
  key: IdempotencyKey | null;
  /** The entities that the call may change. */
  entities: readonly ChangedEntity[];
  /** True for a change of many resources. Other changes must not wait for it. */
  isLarge?: boolean;
}

/**
 * Runs `write` in a transaction (w: majority, j: true) with the events of the changes that it returns, then dispatches
 * them; the relay dispatches any event that the starter misses. `write` runs again after a write conflict, so it must
 * act only through the session. A repeat of an idempotency key gets the first response. Throws `payload_too_large`.
 */
export async function recordChange<T>(
  context: ApiContext,
  { appUid, key, entities, isLarge = false }: Recording,
  write: Write<T>,
): Promise<T> {
  const { store, secretBox } = context;
  const readAt = context.clock.now();
  const beginBeforeMs = performance.now() + processLimits.transactionBeginsMsMax;
  // Outside the transaction, so that concurrent changes share a read. Webhooks registered before get the event.
  const webhooks = await context.findWebhooks({ appUid, entities });
  const once = key === null ? null : { key, secretBox, now: readAt };
  const addressed: Write<T, AddressedChange> = async (...run) => {
    const { answer, changes: written } = await write(...run);
    const changes: AddressedChange[] = [];
    for await (const change of inSlices(written)) {
      // Here, because the group of concurrent changes can tell which one has failed.
      checkPayloadSize(appUid, change);
      changes.push(address(change, webhooks));
    }
    return { answer, changes };
  };
  const pending = { appUid, beginBeforeMs, write: addressed, once, ...placeInTrace() };
  try {
    const { answer, recorded } = await inSpanOfTrace(commit, () =>
      isLarge ? commitAlone(context, pending) : context.commitChange(pending),
    );
    dispatch(context, { recorded, readAt });
    return answer as T;
  } catch (error) {
    if (once === null) throw error;
    return answerRepeat<T>(store, once, error);
  }
}

/** Records and dispatches the event of a change made elsewhere. Returns its uid. Throws `payload_too_large`. */
export async function recordReport(
  context: ApiContext,
  appUid: string,
  change: Change,
): Promise<string> {
  const readAt = context.clock.now();
  const beginBeforeMs = performance.now() + processLimits.transactionBeginsMsMax;
  const webhooks = await context.findWebhooks({ appUid, entities: [entityOf(change.event)] });
  const reported = { appUid, beginBeforeMs, write: address(change, webhooks), once: null };
  const pending: PendingChange = { ...reported, ...placeInTrace() };
  const { recorded } = await inSpanOfTrace(commit, () => context.commitChange(pending));
  dispatch(context, { recorded, readAt });
  const [only] = recorded;
  if (only === undefined) throw new Error('a reported change has no event');
  return only.event._id;
}

function placeInTrace(): Pick<PendingChange, 'trace'> {
  const trace = currentTrace();
  return trace === null ? {} : { trace };
}

/**
 * Makes the first attempts of committed events and starts their workflows, both in the background. The webhooks were
 * read after `readAt`.
 */
export function dispatch(
  { earlyAttempts, starter }: Pick<ApiContext, 'earlyAttempts' | 'starter'>,
  { recorded, readAt }: { recorded: readonly Recorded[]; readAt: Date },
): void {
  for (const { event, subscribers } of recorded) {
    instruments.eventsRecorded.add(1, { event: event.event });
    earlyAttempts?.begin(event, subscribers, readAt);
  }
  starter.add(recorded.map(({ event }) => event));
}
