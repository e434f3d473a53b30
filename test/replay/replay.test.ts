// Workflow code must go on with what its earlier versions began: histories are replayed with it.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { Worker } from '@temporalio/worker';
import { startReceiver } from '../support/receivers.ts';
import { startService } from '../support/service.ts';
import type { TestService } from '../support/service.ts';
import { testServers } from '../support/servers.ts';
import { branches } from './branches.ts';
import type { Stage } from './branches.ts';

const folder = join('test', 'replay', 'histories');
// `npm run histories` sets it, when a workflow has changed on purpose (docs/operations.md).
const isRecording = process.env['HERALD_RECORD_HISTORIES'] === 'true';
const recorded = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .toSorted();

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

/** The history as JSON, without what tells of the machine that it was made on. */
function recordable(history: Parameters<typeof historyToJSON>[0]): string {
  const text = historyToJSON(history)
    .replaceAll(/"\d+@[^"]*"/g, '"recorded"')
    .replaceAll(/"stackTrace": "(?:[^"\\]|\\.)*"/g, '"stackTrace": ""');
  return `${text}\n`;
}

interface RecordedHistory {
  events: { workflowExecutionStartedEventAttributes?: { workflowId: string } }[];
}

function readHistory(name: string): { history: RecordedHistory; workflowId: string } {
  const history = JSON.parse(readFileSync(join(folder, name), 'utf8')) as RecordedHistory;
  const started = history.events[0]?.workflowExecutionStartedEventAttributes;
  return { history, workflowId: started?.workflowId ?? '' };
}

async function replay(history: unknown, workflowId: string): Promise<void> {
  const workflowBundle = { codePath: testServers().workflowBundle };
  await Worker.runReplayHistory({ workflowBundle }, history, workflowId);
}

test('every branch has a recorded history', () => {
  const names = Object.keys(branches).map((name) => `${name}.json`);
  // While they are recorded there may be none yet, or more than are needed.
  if (!isRecording) expect(recorded).toEqual(expect.arrayContaining(names));
});

(recorded.length > 0 ? test : test.skip).each(recorded.length > 0 ? recorded : ['none'])(
  'the recorded history %s goes on with the code of today',
  async (name) => {
    const { history, workflowId } = readHistory(name);
    await replay(history, workflowId);
  },
);

test.each(Object.entries(branches))('the branch %s, played now, replays', async (name, play) => {
  const workflowId = await play(stage);
  const handle = service.temporal.client.workflow.getHandle(workflowId);
  // A failure of deliveries is an end like any other here.
  await handle.result().catch(() => undefined);
  const history = await handle.fetchHistory();
  await replay(history, workflowId);
  if (isRecording) writeFileSync(join(folder, `${name}.json`), recordable(history));
});

test('a history that the code would not have made is refused', async () => {
  const { history } = readHistory('deliver-one.json');
  const text = JSON.stringify(history).replaceAll('"attemptFirst"', '"attemptSecond"');
  const changed: unknown = JSON.parse(text);
  await expect(replay(changed, 'changed')).rejects.toThrow(/nondeterminism/);
});
