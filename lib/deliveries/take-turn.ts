// The turn of an attempt: taken before it is sent, passed on once its outcome is recorded.
import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import { isOpen } from '../model/delivery-state.ts';
import type { DeliveryKey } from '../model/delivery.ts';
import type { Turn } from '../model/partition.ts';
import type { Asker } from './decide.ts';
import type { DeliveryPorts } from './ports.ts';
import { returnTurn } from './turns.ts';

type TurnPorts = Pick<DeliveryPorts, 'store' | 'records' | 'clock' | 'signalPartition'>;

interface InTurn {
  key: DeliveryKey;
  turn: Turn;
  asker: Asker;
}

/** Claims the turn of a delivery; true when it may be sent, as without an order or for a job it always may. */
export async function takeTurn(
  { records, clock }: TurnPorts,
  { key, turn, asker }: Omit<InTurn, 'turn'> & { turn: Turn | null },
): Promise<boolean> {
  if (turn === null || asker.kind === 'job') return true;
  return records.claimTurn({ turn, by: holderOf(key, asker), now: clock.now() });
}

// Retries are left to the partition's workflow: the outcome of a first attempt is then `waiting`.
export async function passTurn(
  { store, records, clock, signalPartition }: TurnPorts,
  { key, turn, asker, outcome }: InTurn & { outcome: DeliveryOutcome },
): Promise<DeliveryOutcome> {
  const { state, nextAttemptAt } = outcome;
  const now = clock.now();
  if (state !== 'superseded' && state !== 'waiting' && !isOpen(state)) {
    const isMoreWaiting = await records.settleTurn({ turn, now });
    if (isMoreWaiting && asker.kind !== 'partition') await signalPartition(turn.partition);
    return outcome;
  }
  if (asker.kind === 'job' || state === 'superseded') return outcome;
  const dueAt = nextAttemptAt === null ? now : new Date(nextAttemptAt);
  const by = holderOf(key, asker);
  await returnTurn(store, turn, { by, dueAt: state === 'held' ? null : dueAt });
  if (asker.kind === 'partition' || state === 'held') return outcome;
  await signalPartition(turn.partition);
  return { ...outcome, state: 'waiting' };
}

// After a crash the event's workflow repeats its own attempt, and that of the partition any.
function holderOf({ eventId }: DeliveryKey, asker: Asker): string {
  return asker.kind === 'partition' ? 'partition' : eventId;
}
