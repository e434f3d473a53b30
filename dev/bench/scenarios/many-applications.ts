// The same load from one application, and from many as on a platform with many small tenants.
import { compareBeside } from '../beside.ts';
import { median, round } from '../distribution.ts';
import { type Measurement, measure } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import type { Bench } from '../service.ts';
import { openLoad, sized } from '../settings.ts';

/** The maximum ratios of the p99 and the processor time of many applications to those of one. */
const p99TimesMax = 1.5;
const cpuTimesMax = 1.2;

const rounds = 3;
const searchedEventsMax = 50;
const hooks = { matching: 1 };

export const manyApplications: Scenario = {
  name: 'many-applications',
  about: '120 changes a second for 12 s: of one application, and of 100 in turn; three times each',
  isMain: false,
  async run(bench) {
    const { settings } = bench;
    const load = openLoad(settings, 120, sized(settings, 12, 3));
    const apps = sized(settings, 100, 10);
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
      compareBeside({
        figure: 'processor time',
        what: 'an event of one application, and of many',
        timesMax: cpuTimesMax,
        aloneMs: median(one.map(cpuOf)) ?? NaN,
        besideMs: median(many.map(cpuOf)) ?? NaN,
      }),
    ];
    const unfound = await findMissing(bench);
    return {
      measurements: [...one, ...many],
      notes: compared.map(({ note }) => note),
      missed: [...compared.flatMap(({ missed }) => missed), ...unfound],
    };
  },
};

function cpuOf({ cpuMsPerEvent }: Measurement): number {
  const { api = NaN, worker = NaN, mongodb = 0, temporal = 0 } = cpuMsPerEvent;
  return round(api + worker + mongodb + temporal);
}

/** Looks for every application, and for some events of each, in Temporal's lists. Returns what is not there. */
async function findMissing({ service: { store, temporal } }: Bench): Promise<string[]> {
  const started = { workflowId: { $type: 'string' } } as const;
  const events = await store.events.find(started, { projection: { appUid: 1 } }).toArray();
  const appUids = [...new Set(events.map(({ appUid }) => appUid))];
  const step = Math.ceil(events.length / searchedEventsMax);
  const queries = [
    ...appUids.map((appUid) => `AppUids = "${appUid}"`),
    ...events
      .filter((_event, index) => index % step === 0)
      .map(({ _id, appUid }) => `EventIds = "${_id}" AND AppUids = "${appUid}"`),
  ];
  const missing: string[] = [];
  for (const query of queries) {
    if ((await temporal.workflow.count(query)).count === 0)
      missing.push(`no workflow has ${query}`);
  }
  return missing;
}
