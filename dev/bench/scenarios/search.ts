// How long a page of events or deliveries takes, whatever it is filtered by.
import type { Store } from '../../../lib/mongo/connect.ts';
import { type BenchApp, makeApp } from '../app.ts';
import type { Bench } from '../bench.ts';
import { type Caller, openCaller } from '../calls.ts';
import { nowMs } from '../clock.ts';
import { describeValues } from '../distribution.ts';
import { inTurns } from '../in-turns.ts';
import { show } from '../report.ts';
import type { Scenario } from '../scenario.ts';
import { storeCorpus } from '../search-corpus.ts';
import { countOf, searchesOf, type SearchToMeasure } from '../search-filters.ts';
import { explainSearch, type SearchPlan } from '../search-plans.ts';
import { sized } from '../settings.ts';
import { removeEvents } from '../stored-events.ts';

const p99MsMax = 50;

interface Measured extends SearchToMeasure {
  plan: SearchPlan;
  p50: number;
  p99: number;
}

export const search: Scenario = {
  name: 'search',
  about: 'a page of 1,000,000 events and 2,000,000 deliveries, by every combination of filters',
  isMain: false,
  needs: 'any',
  async run(bench) {
    const { service, settings } = bench;
    const app = await makeApp(bench, { name: 'search', hooks: { matching: 8 } });
    const events = sized(settings, 1_000_000, 10_000);
    const startMs = nowMs();
    await storeCorpus(bench, { app, count: events });
    // Not written out while the searches run.
    await service.store.client.db('admin').command({ fsync: 1 });
    const storedSeconds = (nowMs() - startMs) / 1_000;
    const caller = openCaller([service.apiUrl]);
    try {
      const measured: Measured[] = [];
      for (const wanted of searchesOf(app)) {
        measured.push(await measureSearch(bench, { app, caller, wanted }));
      }
      const sizes = await Promise.all([
        sizeOf(service.store, 'events'),
        sizeOf(service.store, 'deliveries'),
      ]);
      const note = `${show(events)} events and twice as many deliveries, stored in ${show(storedSeconds)} s; pages of 50.`;
      return {
        measurements: [],
        table: tableOf(measured),
        notes: [note, ...sizes],
        missed: missedBy(measured),
      };
    } finally {
      await caller[Symbol.asyncDispose]();
      // Takes minutes; the bench's own database goes anyway.
      if (!service.isOwn) await removeEvents(service.store, app);
    }
  },
};

async function sizeOf({ db }: Store, collection: string): Promise<string> {
  const { count, size, totalIndexSize } = (await db.command({ collStats: collection })) as Record<
    'count' | 'size' | 'totalIndexSize',
    number
  >;
  const each = `${show(size / count)} bytes each, in indexes ${show(totalIndexSize / count)}`;
  return `${collection}: ${show(count)}, ${each}.`;
}

// One at a time.
async function measureSearch(
  { service, settings, signal }: Bench,
  { app, caller, wanted }: { app: BenchApp; caller: Caller; wanted: SearchToMeasure },
): Promise<Measured> {
  signal.throwIfAborted();
  const path = `/${wanted.list}?${new URLSearchParams(wanted.filters).toString()}`;
  const call = caller.reading(app, path);
  const count = sized(settings, 100, 10);
  const { latenciesMs } = await inTurns({ count, atOnce: 1 }, async () => {
    const startMs = nowMs();
    const failure = await call(0);
    if (failure !== null) throw new Error(`GET …${path}: ${failure}`);
    return nowMs() - startMs;
  });
  const { p50 = Number.NaN, p99 = Number.NaN } = describeValues(latenciesMs) ?? {};
  const plan = await explainSearch(service.store, app.appUid, wanted);
  return { ...wanted, plan, p50, p99 };
}

// A row for each search by one filter or none; of the others, by their number, the slowest.
function tableOf(measured: readonly Measured[]): string[][] {
  const head = ['', 'filters', 'searches', 'p50 ms', 'p99 ms', 'keys', 'documents', ''];
  const groups = new Map<string, Measured[]>();
  for (const each of measured) {
    const count = countOf(each);
    const group = count > 1 ? String(count) : describe(each);
    const name = `${each.list}/${group}`;
    groups.set(name, [...(groups.get(name) ?? []), each]);
  }
  const rows = [...groups.values()].map((group) => rowOf(group));
  return [head, ...rows];
}

function rowOf(group: readonly Measured[]): string[] {
  const [slowest] = group.toSorted((one, other) => other.p99 - one.p99);
  if (slowest === undefined) return [];
  const count = countOf(slowest);
  const title = count > 1 ? `${count}, the slowest: ${describe(slowest)}` : describe(slowest);
  const most = (of: (each: Measured) => number): string => show(Math.max(...group.map(of)));
  return [
    slowest.list,
    title,
    show(group.length),
    most(({ p50 }) => p50),
    most(({ p99 }) => p99),
    most(({ plan }) => plan.keys),
    most(({ plan }) => plan.documents),
    group.every(isQuick) ? 'PASS' : 'FAIL',
  ];
}

function describe({ filters }: SearchToMeasure): string {
  const shown = Object.entries(filters).map(([name, value]) =>
    ['since', 'until', 'webhookUid'].includes(name) ? name : `${name}=${value}`,
  );
  return shown.length === 0 ? 'none' : shown.join(' ');
}

function isQuick({ p99, plan }: Measured): boolean {
  return p99 <= p99MsMax && !plan.isSorted;
}

function missedBy(measured: readonly Measured[]): string[] {
  return measured
    .filter((each) => !isQuick(each))
    .map((each) => `${each.list} by ${describe(each)}: p99 ${show(each.p99)} of ${p99MsMax} ms`);
}
