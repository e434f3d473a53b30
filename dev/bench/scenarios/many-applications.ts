// The same load from one application, and from many as on a platform with many small tenants.
import { compareBeside } from '../beside.ts';
import { median } from '../distribution.ts';
import { type Measurement, measure } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import { openLoad, sized } from '../settings.ts';

/** The maximum ratios of the p99 and the processor time of many applications to those of one. */
const p99TimesMax = 1.5;
const cpuTimesMax = 1.2;

const rounds = 3;

export const manyApplications: Scenario = {
  name: 'many-applications',
  about: '120 changes a second for 12 s: of one application, and of 100 in turn; three times each',
  isMain: false,
  async run(bench) {
    const { settings } = bench;
    const load = openLoad(settings, 120, sized(settings, 12, 3));
    const apps = sized(settings, 100, 10);
    const hooks = { matching: 1 };
    const [one, many]: [Measurement[], Measurement[]] = [[], []];
    for (let round = 0; round < sized(settings, rounds, 1); round += 1) {
      one.push(await measure(bench, { name: '1 application', hooks, load }));
      many.push(await measure(bench, { name: `${apps} applications`, apps, hooks, load }));
    }
    const compared = [
      compareBeside({
        what: 'one application, and of many',
        timesMax: p99TimesMax,
        aloneMs: median(one.map(({ receiptMs }) => receiptMs?.p99 ?? NaN)) ?? NaN,
        besideMs: median(many.map(({ receiptMs }) => receiptMs?.p99 ?? NaN)) ?? NaN,
      }),
      compareCpu(median(one.map(cpuOf)) ?? NaN, median(many.map(cpuOf)) ?? NaN),
    ];
    return {
      measurements: [...one, ...many],
      notes: compared.map(({ note }) => note),
      missed: compared.flatMap(({ missed }) => missed),
    };
  },
};

function cpuOf({ cpuMsPerEvent }: Measurement): number {
  const { api = NaN, worker = NaN, mongodb = 0, temporal = 0 } = cpuMsPerEvent;
  return api + worker + mongodb + temporal;
}

function compareCpu(oneMs: number, manyMs: number) {
  const times = manyMs / oneMs;
  const note = `processor time of an event: ${oneMs.toFixed(1)} ms of one application, ${manyMs.toFixed(1)} of many, ${times.toFixed(2)} times as long.`;
  return {
    note,
    missed: times <= cpuTimesMax ? [] : [`${note} The limit is ${cpuTimesMax} times.`],
  };
}
