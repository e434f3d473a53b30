// The turn of an ordered delivery around its attempt: taken before, passed on or given back after.
import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import { isOpen } from '../model/delivery-state.ts';
import type { DeliveryKey } from '../model/delivery.ts';
import type { Turn } from '../model/partition.ts';
import { claimTurn, returnTurn, settleTurn } from './partitions.ts';
import type { Asker } from './decide.ts';
import type { DeliveryPorts } from './ports.ts';

type TurnPorts = Pick<DeliveryPorts, 'store' | 'clock' | 'signalPartition'>;

interface InTurn {
  key: DeliveryKey;
  turn: Turn;
  asker: Asker;
}

/** Returns whether a delivery may be sent now. Without an order, and for a job, it always may. */
export async function takeTurn(
  { store, clock }: TurnPorts,
  { key, turn, asker }: Omit<InTurn, 'turn'> & { turn: Turn | null },
): Promise<boolean> {
  if (turn === null || asker.kind === 'job') return true;
  return claimTurn(store, turn, { by: holderOf(key, asker), now: clock.now() });
}

/**
 * Moves the partition on when the delivery is settled, and signals its workflow when more waits. What is
 * to be tried again is left to that workflow: a first attempt's outcome is then `waiting`.
 */
export async function passTurn(
  { store, clock, signalPartition }: TurnPorts,
  { key, turn, asker, outcome }: InTurn & { outcome: DeliveryOutcome },
): Promise<DeliveryOutcome> {
  const { state, nextAttemptAt } = outcome;
  const now = clock.now();
  if (state !== 'superseded' && state !== 'waiting' && !isOpen(state)) {
    const isMoreWaiting = await settleTurn(store, turn, now);
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

/** The event's workflow repeats its own attempt after a crash; that of the partition goes on with any. */
function holderOf({ eventId }: DeliveryKey, asker: Asker): string {
  return asker.kind === 'partition' ? 'partition' : eventId;
}
