// Which faults a run makes, and when: a pure function of the seed.
import { seededRandom } from '../support/seeded-random.ts';

/** A run is a baseline without faults, then rounds: faults begin and end in the first part of each, the rest is quiet. */
const baselineMsMax = 40_000;
const baselineShare = 1 / 6;
const roundMs = 60_000;
const stormShare = 0.5;
const betweenMs = { min: 3_500, max: 6_000 };
/** Both processes of a role may be frozen for this long. */
const bothFrozenMsMax = 3_000;

const apis = ['api-1', 'api-2'];
const roles = [...apis, 'worker-1', 'worker-2'];
const members = ['primary', 'secondary'];
const memberLinks = ['mongod-1', 'mongod-2', 'mongod-3'];
const links = ['callers', ...roles.map((name) => `temporal of ${name}`), ...memberLinks];

export type FaultName =
  | 'killed'
  | 'frozen'
  | 'stepped down'
  | 'cut off'
  | 'disk full'
  | 'clock off'
  | 'cut'
  | 'half open'
  | 'delayed'
  | 'first attempts off'
  | 'two versions';

export interface PlannedFault {
  /** From the start of the run. */
  readonly atMs: number;
  readonly name: FaultName;
  /** A process, a proxy, `primary`, `secondary` or `service`. */
  readonly target: string;
  readonly forMs: number;
  /** Milliseconds by which `delayed` delays, seconds by which `clock off` is ahead; otherwise 0. */
  readonly amount: number;
  /** No other fault may hold one of these at the same time. */
  readonly holds: readonly string[];
  /** The start of the quiet time, in which it must not begin. */
  readonly quietFromMs: number;
}

interface Kind {
  readonly name: FaultName;
  readonly targets: readonly string[];
  readonly weight: number;
  readonly forMs: readonly [min: number, max: number];
  /** How long it takes until everything is as before. */
  readonly recoveryMs: number;
  readonly amount?: (random: () => number) => number;
}

const clockAhead = (random: () => number): number => (random() < 0.5 ? -20 : 20);
const kinds: readonly Kind[] = [
  { name: 'killed', targets: roles, weight: 5, forMs: [0, 0], recoveryMs: 5_000 },
  { name: 'killed', targets: ['temporal'], weight: 2, forMs: [0, 0], recoveryMs: 3_000 },
  // Others elect a primary only after 10 s.
  { name: 'killed', targets: members, weight: 1.5, forMs: [0, 0], recoveryMs: 14_000 },
  { name: 'frozen', targets: roles, weight: 5, forMs: [100, 20_000], recoveryMs: 0 },
  { name: 'frozen', targets: ['temporal'], weight: 2, forMs: [100, 20_000], recoveryMs: 0 },
  { name: 'frozen', targets: members, weight: 2, forMs: [100, 20_000], recoveryMs: 3_000 },
  { name: 'stepped down', targets: ['primary'], weight: 2, forMs: [0, 0], recoveryMs: 3_000 },
  { name: 'cut off', targets: ['primary'], weight: 1, forMs: [500, 18_000], recoveryMs: 3_000 },
  { name: 'disk full', targets: members, weight: 1, forMs: [500, 4_000], recoveryMs: 14_000 },
  {
    name: 'clock off',
    // A primary's clock is that of the service: docs/running.md promises nothing if it is wrong.
    targets: ['secondary'],
    weight: 0.5,
    forMs: [1_000, 8_000],
    recoveryMs: 0,
    amount: clockAhead,
  },
  {
    name: 'clock off',
    targets: roles,
    weight: 1.5,
    forMs: [5_000, 12_000],
    recoveryMs: 8_000,
    amount: clockAhead,
  },
  { name: 'cut', targets: links, weight: 5, forMs: [0, 0], recoveryMs: 0 },
  { name: 'half open', targets: links, weight: 4, forMs: [200, 10_000], recoveryMs: 0 },
  {
    name: 'delayed',
    targets: links,
    weight: 4,
    forMs: [500, 10_000],
    recoveryMs: 0,
    amount: (random) => Math.round(logUniform(random, [50, 500])),
  },
  {
    name: 'first attempts off',
    targets: apis,
    weight: 1.5,
    forMs: [5_000, 12_000],
    recoveryMs: 8_000,
  },
];
const upgrade: Kind = {
  name: 'two versions',
  targets: ['service'],
  weight: 0,
  forMs: [3_000, 6_000],
  recoveryMs: 18_000,
};

interface PlanOptions {
  readonly seed: number;
  readonly seconds: number;
}

/** Plans the faults of a run, in the order of their starts. */
export function planFaults({ seed, seconds }: PlanOptions): PlannedFault[] {
  const dealer = new Dealer(seededRandom(seed));
  const runMs = seconds * 1_000;
  const baselineMs = Math.min(baselineMsMax, runMs * baselineShare);
  const rounds = Math.max(1, Math.round((runMs - baselineMs) / roundMs));
  const lengthMs = (runMs - baselineMs) / rounds;
  const faults: PlannedFault[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startMs = baselineMs + round * lengthMs;
    const quietFromMs = startMs + stormShare * lengthMs;
    let atMs = startMs;
    // In the middle third.
    if (round === Math.floor(rounds / 2)) faults.push(...dealer.deal([upgrade], atMs, quietFromMs));
    for (; atMs < quietFromMs; atMs += dealer.between(betweenMs.min, betweenMs.max)) {
      faults.push(...dealer.deal(kinds, atMs, quietFromMs));
    }
  }
  return faults;
}

/** Deals kinds by their weights, so that even a short run has most of them. */
class Dealer {
  readonly #random: () => number;
  readonly #dealt = new Map<Kind, number>();
  readonly #heldUntilMs = new Map<string, number>();

  constructor(random: () => number) {
    this.#random = random;
  }

  between(min: number, max: number): number {
    return min + (max - min) * this.#random();
  }

  /** Returns a fault that ends before the quiet time and disturbs no fault that still lasts, or none. */
  deal(among: readonly Kind[], atMs: number, quietFromMs: number): PlannedFault[] {
    const isFree = (name: string): boolean => (this.#heldUntilMs.get(name) ?? 0) <= atMs;
    const leftMs = quietFromMs - atMs;
    const inTurn = among
      .filter(({ forMs, recoveryMs }) => forMs[0] + recoveryMs <= leftMs)
      .map((kind) => ({
        kind,
        rank: ((this.#dealt.get(kind) ?? 0) + this.#random()) / kind.weight,
      }))
      .toSorted((a, b) => a.rank - b.rank);
    for (const { kind } of inTurn) {
      const target = kind.targets[Math.floor(this.#random() * kind.targets.length)] ?? '';
      const [min, max] = kind.forMs;
      const longest = Math.min(max, leftMs - kind.recoveryMs);
      const forMs = Math.round(logUniform(this.#random, [min, longest]));
      const holds = held(kind, target, forMs);
      if (!holds.every(isFree)) continue;
      for (const name of holds) this.#heldUntilMs.set(name, atMs + forMs + kind.recoveryMs);
      this.#dealt.set(kind, (this.#dealt.get(kind) ?? 0) + 1);
      const amount = kind.amount?.(this.#random) ?? 0;
      const { name } = kind;
      return [{ atMs: Math.round(atMs), name, target, forMs, amount, holds, quietFromMs }];
    }
    return [];
  }
}

function held({ name }: Kind, target: string, forMs: number): string[] {
  const isOfMember = members.includes(target) || memberLinks.includes(target);
  // Members that are delayed or cut once still make a majority.
  if (isOfMember && name !== 'delayed' && name !== 'cut') return ['set'];
  // Restarts of all processes together would take longer than a round.
  if (name === 'two versions') return [target, ...roles, 'api frozen', 'worker frozen'];
  const isLong = name === 'frozen' && forMs > bothFrozenMsMax;
  return isLong ? [target, `${target.split('-')[0]} frozen`] : [target];
}

function logUniform(random: () => number, [min, max]: readonly [number, number]): number {
  return min === 0 ? 0 : min * (max / min) ** random();
}
