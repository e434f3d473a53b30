// The variants of a soak: who makes the first attempts, and whether they succeed.
import type { Receipt } from './light-ends.ts';

/** What a seed changes in a run in addition to its random numbers. */
export interface Variant {
  name: string;
  /** The process that makes the first attempts. */
  sender: 'api' | 'worker';
  /** Settings of the service. */
  env: Readonly<Record<string, string>>;
  /** The first response to each delivery is 500. */
  refusesFirst: boolean;
}

// Without the api's attempts, nothing is sent from the memory of the process that committed.
const workerSends = { HERALD_API_DELIVERS: 'false' };
// Retries end within the run, and their order keeps up with the changes.
const quickRetries = { HERALD_RETRY_SCHEDULE: Array(10).fill('1s').join() };

const variants: readonly Variant[] = [
  { name: 'api sends, receivers accept', sender: 'api', env: {}, refusesFirst: false },
  {
    name: 'worker sends, receivers refuse first',
    sender: 'worker',
    env: { ...workerSends, ...quickRetries },
    refusesFirst: true,
  },
  {
    name: 'worker sends, receivers accept',
    sender: 'worker',
    env: workerSends,
    refusesFirst: false,
  },
  {
    name: 'api sends, receivers refuse first',
    sender: 'api',
    env: quickRetries,
    refusesFirst: true,
  },
];

/** Returns the variant of a seed, counted from 1. They alternate. */
export function variantOf(seed: number): Variant {
  return variants[(seed - 1) % variants.length] as Variant;
}

/** At the ordered webhook, where a retry delays later events. */
const refusedInOrderEach = 10;

/** Returns the statuses of a variant's receiver for one run. Webhook 0 is the ordered one. */
export function responsesOf({
  refusesFirst,
}: Pick<Variant, 'refusesFirst'>): (request: Pick<Receipt, 'eventId' | 'hook'>) => number {
  const seen = new Set<string>();
  let inOrder = 0;
  return ({ eventId, hook }) => {
    const key = `${eventId}/${hook}`;
    if (!refusesFirst || seen.has(key)) return 200;
    seen.add(key);
    if (hook !== 0) return 500;
    inOrder += 1;
    return inOrder % refusedInOrderEach === 0 ? 500 : 200;
  };
}
