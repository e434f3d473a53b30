// Workflow code must continue the workflows of its earlier versions: recorded histories are replayed with it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { type History, historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { startReceiver } from '../support/receivers.ts';
import { startService, type TestService } from '../support/service.ts';
import { testServers } from '../support/servers.ts';
import type * as workflows from '../../workflows/index.ts';
import { deliveryStateAttribute } from '../../lib/temporal/search-attributes.ts';
import { branches, type Stage } from './branches.ts';
import { longRuns, playLongRun } from './long-runs.ts';

const folder = join('test', 'replay', 'histories');
// `npm run record -- test/replay` sets it, when a workflow has changed on purpose (docs/upgrading.md).
const isRecording = process.env['HERALD_RECORD'] === 'true';
// Histories of thousands of similar events are kept compressed.
const plainBytesMax = 100_000;
const recorded = readdirSync(folder).toSorted();

let stage: Stage;
let service: TestService;

beforeAll(async () => {
  service = await startService();
  let flaky = 0;
  const receiver = await startReceiver((response, { path }) => {
    if (path === '/flaky') flaky += 1;
    response.writeHead(path === '/flaky' ? (flaky === 1 ? 500 : 200) : Number(path.slice(1))).end();
  });
  stage = { service, receiver };
});

afterAll(async () => {
  await stage?.receiver[Symbol.asyncDispose]();
  await service?.[Symbol.asyncDispose]();
});

function record(name: string, history: History): void {
  const text = recordable(history);
  if (text.length > plainBytesMax) {
    writeFileSync(join(folder, `${name}.json.gz`), gzipSync(text, { level: 9 }));
  } else {
    writeFileSync(join(folder, `${name}.json`), text);
  }
}

/** Returns the history as JSON, without data of the machine that it was made on. */
function recordable(history: History): string {
  const text = historyToJSON(history)
    .replaceAll(/"\d+@[^"]*"/g, '"recorded"')
    .replaceAll(/"stackTrace": "(?:[^"\\]|\\.)*"/g, '"stackTrace": ""');
  return `${text}\n`;
}

interface RecordedHistory {
  events: {
    eventType: string;
    workflowExecutionStartedEventAttributes?: {
      workflowId: string;
      workflowType: { name: string };
    };
  }[];
}

function readHistory(name: string): {
  history: RecordedHistory;
  workflowId: string;
  /** The workflow's type and how the run ended, such as `deliverEvents COMPLETED`. */
  ending: string;
} {
  const bytes = readFileSync(join(folder, name));
  const text = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  const history = JSON.parse(text) as RecordedHistory;
  const started = history.events[0]?.workflowExecutionStartedEventAttributes;
  const last = history.events.at(-1)?.eventType.replace('EVENT_TYPE_WORKFLOW_EXECUTION_', '');
  const ending = `${started?.workflowType.name} ${last}`;
  return { history, workflowId: started?.workflowId ?? '', ending };
}

/** Replays all of them in one worker. Returns how many there were, and what was refused and why. */
async function replayAll(
  histories: Iterable<{ workflowId: string; history: unknown }>,
): Promise<{ replayed: number; refused: { workflowId: string; reason: string }[] }> {
  const workflowBundle = { codePath: testServers().workflowBundle };
  const refused: { workflowId: string; reason: string }[] = [];
  let replayed = 0;
  for await (const { workflowId, error } of Worker.runReplayHistories(
    { workflowBundle },
    histories,
  )) {
    replayed += 1;
    if (error) refused.push({ workflowId, reason: error.message });
  }
  return { replayed, refused };
}

/** The possible ends of each workflow; failures in a job are retried without end. */
const endings: Readonly<Record<keyof typeof workflows, readonly string[]>> = {
  deliverEvents: ['COMPLETED', 'FAILED', 'CANCELED'],
  deliverInOrder: ['COMPLETED', 'FAILED', 'CANCELED', 'CONTINUED_AS_NEW'],
  runJob: ['COMPLETED', 'CANCELED', 'CONTINUED_AS_NEW'],
};

/** The state that a workflow shows at its end, by branch. */
const endStates: [state: string, branch: RegExp][] = [
  ['delivered', /^(deliver-.*|retry-then-deliver|partition-delivers)$/],
  ['failed', /^(fail-one|partition-retries|partition-signalled)$/],
  ['partial', /^(fail-some|overtaken-by-deletion)$/],
  ['held', /^hold$/],
  ['continued', /^(left-to-partition|overtaken-by-resend)$/],
  ['cancelled', /^(cancel|cancelled-while-retried|partition-cancelled)$/],
];

// During a recording there may be none yet, or too many.
(isRecording ? test.skip : test)('every branch has a recorded history', () => {
  const names = recorded.map((name) => name.replace(/\.json(\.gz)?$/, ''));
  expect(names).toEqual(expect.arrayContaining(Object.keys({ ...branches, ...longRuns })));
});

(isRecording ? test.skip : test)(
  'there is a recorded history of each end that a workflow can come to',
  () => {
    const expected = Object.entries(endings).flatMap(([workflow, ends]) =>
      ends.map((end) => `${workflow} ${end}`),
    );
    const found = new Set(recorded.map((name) => readHistory(name).ending));
    expect([...found].toSorted()).toEqual(expected.toSorted());
  },
);

(isRecording ? test.skip : test)(
  'the recorded histories replay with the present code',
  async () => {
    const result = await replayAll(recorded.map(readHistory));
    expect(result).toEqual({ replayed: recorded.length, refused: [] });
  },
);

describe('a new run of each branch', () => {
  const runs: { workflowId: string; history: History }[] = [];

  test.each(Object.entries(branches))('%s ends, and shows its state', async (name, play) => {
    const workflowId = await play(stage);
    const handle = service.temporal.client.workflow.getHandle(workflowId);
    // Here a failure of deliveries is an end like any other.
    const result = await handle.result().catch(() => undefined);
    const { typedSearchAttributes } = await handle.describe();
    const [state] = endStates.find(([, branch]) => branch.test(name)) ?? [];
    expect(typedSearchAttributes.get(deliveryStateAttribute)).toBe(state);
    if (state === 'continued') {
      const continuesIn = expect.stringMatching('^(job/job_.*/1|order/whk_.*)$');
      expect(result).toMatchObject({ [state]: 1, shown: [{ continuesIn }] });
    }
    const history = await handle.fetchHistory();
    runs.push({ workflowId, history });
    if (isRecording) record(name, history);
  });

  test('replays', async () => {
    expect(await replayAll(runs)).toEqual({ replayed: runs.length, refused: [] });
  });
});

// Half a minute of equal steps; their recorded histories are replayed above in every run.
if (isRecording) {
  test.each(Object.entries(longRuns))('a new long run of %s replays', async (name, run) => {
    const history = await playLongRun(run);
    const result = await replayAll([{ workflowId: name, history }]);
    expect(result).toEqual({ replayed: 1, refused: [] });
    record(name, history);
  });
}
