import { type PlannedFault, planFaults } from '../../nemesis/schedule.ts';

const seeds = [1, 2, 3, 4, 5];
const links = ['callers', 'mongod', 'temporal of api', 'temporal of worker'];
const everyKind = Object.entries({
  'clock off': ['api', 'secondary', 'worker'],
  cut: links,
  'cut off': ['primary'],
  delayed: links,
  'disk full': ['primary', 'secondary'],
  'first attempts off': ['api'],
  frozen: ['api', 'primary', 'secondary', 'temporal', 'worker'],
  'half open': links,
  killed: ['api', 'primary', 'secondary', 'temporal', 'worker'],
  'stepped down': ['primary'],
  'two versions': ['service'],
}).flatMap(([name, targets]) => targets.map((target) => `${name}: ${target}`));

const endOf = ({ atMs, forMs }: PlannedFault): number => atMs + forMs;

/** Returns the pairs of faults that last at the same time. */
function overlaps(faults: readonly PlannedFault[]): [PlannedFault, PlannedFault][] {
  return faults.flatMap((one, index) =>
    faults
      .slice(index + 1)
      .filter((other) => other.atMs < endOf(one))
      .map((other): [PlannedFault, PlannedFault] => [one, other]),
  );
}

const isOfMember = ({ name, target }: PlannedFault): boolean =>
  ['killed', 'frozen', 'stepped down', 'cut off', 'disk full', 'half open'].includes(name) &&
  /^(primary|secondary|mongod-.)$/.test(target);

test('a seed repeats its plan, and another seed makes another one', () => {
  const [one, again, other] = [1, 1, 2].map((seed) => planFaults({ seed, seconds: 1_200 }));
  expect(again).toEqual(one);
  expect(other).not.toEqual(one);
});

describe.each(seeds)('seed %i', (seed) => {
  const plan = planFaults({ seed, seconds: 3_640 });

  test('an hour has at least 300 faults, of every kind, and two versions once in the middle third', () => {
    expect(plan.length).toBeGreaterThanOrEqual(300);
    const kinds = new Set(plan.map(({ name, target }) => `${name}: ${target.split('-')[0]}`));
    expect([...kinds].toSorted()).toEqual(everyKind.toSorted());
    const [upgrade, ...others] = plan.filter(({ name }) => name === 'two versions');
    expect(others).toEqual([]);
    expect(upgrade?.atMs).toBeGreaterThan(1_200_000);
    expect(upgrade?.atMs).toBeLessThan(2_400_000);
  });

  test('no fault lasts in the baseline or a quiet time', () => {
    for (const fault of plan) {
      const inRoundMs = (fault.atMs - 40_000) % 60_000;
      expect(inRoundMs).toBeGreaterThanOrEqual(0);
      expect(inRoundMs + fault.forMs).toBeLessThanOrEqual(30_001);
    }
  });

  test('two members never fail at once, and both processes of a role are frozen for at most 3 s', () => {
    const pairs = overlaps(plan);
    expect(pairs.length).toBeGreaterThan(50);
    expect(pairs.filter((pair) => pair.every(isOfMember))).toEqual([]);
    const bothFrozen = pairs.filter(
      ([one, other]) =>
        one.name === 'frozen' &&
        other.name === 'frozen' &&
        one.target.slice(0, -2) === other.target.slice(0, -2) &&
        Math.min(one.forMs, other.forMs) > 3_000,
    );
    expect(bothFrozen).toEqual([]);
  });

  test('120 s have a baseline of 20 s and faults of seven kinds', () => {
    const short = planFaults({ seed, seconds: 120 });
    expect(Math.min(...short.map(({ atMs }) => atMs))).toBeGreaterThanOrEqual(20_000);
    expect(new Set(short.map(({ name }) => name)).size).toBeGreaterThanOrEqual(7);
  });
});
