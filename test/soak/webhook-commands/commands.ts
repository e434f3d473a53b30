// The commands of a sequence, as fast-check chooses them. Half of them do not wait for their response, so that the next
// one overlaps.
import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import {
  cancel,
  erase,
  type Real,
  register,
  remove,
  replay,
  report,
  resend,
  set,
} from './calls.ts';
import type { Model, Ordering, Resource, Setting } from './model.ts';
import { untilQuiet } from './quiet.ts';

type Command = fc.AsyncCommand<Model, Real>;

// "A resource is its kind and its uid together": the first two are different resources.
const resources: readonly [Resource, ...Resource[]] = [
  { event: 'agent.updated', uid: '1', tenant: 'tenant-1' },
  { event: 'context.updated', uid: '1', tenant: 'tenant-1' },
  { event: 'agent.updated', uid: '2', tenant: 'tenant-2' },
];

const slot = fc.nat({ max: 1 });
const anyResource = fc.constantFrom(...resources);
const ordering = fc.constantFrom<Ordering>('parallel', 'resource');
const states = fc.subarray(['exhausted', 'cancelled', 'delivered', 'retrying', 'held'], {
  minLength: 1,
});

interface Action {
  text: string;
  /** The precondition of the command. */
  check?: (model: Model) => boolean;
  run: (model: Model, real: Real) => Promise<unknown>;
}

/** Makes commands from arbitrary arguments, most of them with or without waiting for the response. */
function commands<T>(
  chosen: fc.Arbitrary<T>,
  toAction: (args: T) => Action,
): fc.Arbitrary<Command> {
  return fc.tuple(chosen, fc.boolean()).map(([args, waits]) => {
    const { text, check = () => true, run } = toAction(args);
    return {
      check,
      toString: () => (waits ? text : `${text} (no wait)`),
      async run(model, real) {
        const done = run(model, real);
        model.inFlight.push(done);
        if (waits) await done;
      },
    };
  });
}

const reports = commands(
  fc.record({ resource: anyResource, count: fc.integer({ min: 1, max: 3 }) }),
  ({ resource, count }) => ({
    text: `report ${resource.event} ${resource.uid} ×${count}`,
    run: (model, real) =>
      Promise.all(Array.from({ length: count }, async () => report(model, real, resource))),
  }),
);

const answers = commands(
  fc.record({
    of: fc.oneof(slot, anyResource),
    status: fc.constantFrom(200, 500),
    afterMs: fc.constantFrom(0, 0, 400, 1_200),
  }),
  ({ of, status, afterMs }) => ({
    text: `answer ${typeof of === 'number' ? `webhook ${of}` : `${of.event} ${of.uid}`} ${status} after ${afterMs} ms`,
    run: async (model, real) => {
      const whom = typeof of === 'number' ? model.slots[of]?.path : `${of.event} ${of.uid}`;
      real.answers.set(String(whom), { status, afterMs });
    },
  }),
);

/** Checks whether commands have paused a webhook and not resumed it. The calls may still be in flight. */
function isPaused({ slots, settings }: Model, slot: number): boolean {
  const ofSlot = settings.filter(({ hook, active }) => hook === slots[slot] && active !== null);
  return ofSlot.at(-1)?.active === false;
}

const pauses = commands(slot, (slot) => ({
  text: `pause webhook ${slot}`,
  check: (model) => !isPaused(model, slot),
  run: (model, real) => setSlot(model, real, { slot, active: false }),
}));

const resumes = commands(fc.record({ slot, discards: fc.boolean() }), ({ slot, discards }) => ({
  text: `resume webhook ${slot}${discards ? ' with discard' : ''}`,
  check: (model) => isPaused(model, slot),
  run: (model, real) => setSlot(model, real, { slot, active: true, discards }),
}));

const orders = commands(fc.record({ slot, ordering }), ({ slot, ordering }) => ({
  text: `order webhook ${slot}: ${ordering}`,
  run: (model, real) => setSlot(model, real, { slot, ordering }),
}));

async function setSlot(
  model: Model,
  real: Real,
  {
    slot,
    ...change
  }: { slot: number } & Partial<Pick<Setting, 'active' | 'discards' | 'ordering'>>,
): Promise<void> {
  const hook = model.slots[slot];
  if (hook !== undefined) await set(model, real, { hook, ...change });
}

const resends = commands(
  fc.record({ which: fc.nat({ max: 40 }), to: fc.subarray([0, 1], { minLength: 1 }) }),
  ({ which, to }) => ({
    text: `resend ${which} to ${to.join()}`,
    check: ({ reports }) => reports.length > 0,
    run: async (model, real) => {
      const answered = model.reports.filter(({ eventId }) => eventId !== '');
      const chosen = answered[which % Math.max(1, answered.length)];
      const hooks = model.slots.filter((_, index) => to.includes(index));
      if (chosen !== undefined) await resend(model, real, { report: chosen, hooks });
    },
  }),
);

const replays = commands(
  fc.record({
    slot,
    states,
    since: fc.option(fc.nat({ max: 40 }), { freq: 2 }),
    perSecond: fc.constantFrom(2, 100),
    // This kind of replay takes 15 s.
    alsoNever: fc.nat({ max: 9 }).map((n) => n === 9),
  }),
  ({ slot, states, since, perSecond, alsoNever }) => ({
    text: `replay to ${slot} since ${since ?? 'the beginning'} ${states.join()}${alsoNever ? ',never_attempted' : ''} ${perSecond}/s`,
    run: async (model, real) => {
      const hook = model.slots[slot];
      const from = since === null ? undefined : model.reports[since % (model.reports.length + 1)];
      // Before now, as the API requires, even right after the report.
      const sinceMs = (from?.beganMs ?? model.beganMs) - 1;
      const all = [...states, ...(alsoNever ? ['never_attempted'] : [])];
      if (hook === undefined) return;
      await replay(model, real, { hook, sinceMs, states: all, perSecond });
    },
  }),
);

const cancels = commands(fc.nat({ max: 9 }), (which) => ({
  text: `cancel replay ${which}`,
  check: ({ replays }) => replays.length > 0,
  run: async (model, real) => {
    const known = model.replays.filter(({ uid }) => uid !== '');
    const chosen = known[which % Math.max(1, known.length)];
    if (chosen !== undefined) await cancel(model, real, chosen);
  },
}));

const erasures = commands(fc.constantFrom('tenant-1', 'tenant-2'), (tenant) => ({
  text: `erase ${tenant}`,
  run: (model, real) => erase(model, real, tenant),
}));

const replacements = commands(fc.record({ slot, ordering }), ({ slot, ordering }) => ({
  text: `delete webhook ${slot}, register another (${ordering})`,
  run: async (model, real) => {
    const hook = model.slots[slot];
    if (hook !== undefined) await remove(real, hook);
    await register(model, real, { slot, ordering });
  },
}));

const waits: fc.Arbitrary<Command> = fc.constantFrom(50, 400, 1_100, 2_300).map((ms) => ({
  check: () => true,
  toString: () => `wait ${ms} ms`,
  run: async () => sleep(ms),
}));

const quiet: fc.Arbitrary<Command> = fc.constant({
  check: ({ reports }) => reports.length > 0,
  toString: () => 'wait until quiet',
  run: async (model, real) => {
    await untilQuiet(model, real);
  },
});

const weighted: [number, fc.Arbitrary<Command>][] = [
  [12, reports],
  [5, answers],
  [4, pauses],
  [5, resumes],
  [1, orders],
  [3, resends],
  [2, replays],
  [1, cancels],
  [1, erasures],
  [1, replacements],
  [6, waits],
  [1, quiet],
];

/** Sequences of commands, chosen by their weights. */
export const sequences = fc.commands(
  weighted.flatMap(([weight, command]) => Array.from({ length: weight }, () => command)),
  { maxCommands: 50, size: 'max' },
);
