// Changes of the API are noticed: the story is played and compared with its record.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { routes } from '../../api/routes.ts';
import { nameRoute } from './recorder.ts';
import { type Contract, playStory } from './story.ts';

const path = join('test', 'contract', 'recorded.json');
// `npm run record -- test/contract` sets it, when the contract has changed on purpose.
const isRecording = process.env['HERALD_RECORD'] === 'true';

let played: Contract;
let recorded: Contract;

beforeAll(async () => {
  played = await playStory();
  if (isRecording) {
    const style = { ...(await resolveConfig(path)), parser: 'json' };
    writeFileSync(path, await format(JSON.stringify(played), style));
  }
  recorded = JSON.parse(readFileSync(path, 'utf8')) as Contract;
});

test('the calls of the story are those of the record, in the same order', () => {
  const names = ({ calls }: Contract) => calls.map(({ what, call }) => `${what}: ${call}`);
  expect(names(played)).toEqual(names(recorded));
});

test('every call gets its recorded answer', () => {
  // One at a time, so that a difference shows its call.
  for (const [index, call] of played.calls.entries()) expect(call).toEqual(recorded.calls[index]);
});

test('every route refuses the recorded requests', () => {
  expect(played.refusals).toEqual(recorded.refusals);
});

test('every handler of the tables succeeds at least once, unless it is retired', () => {
  const retired = ['POST /api-authenticate-embedded-user'];
  const succeeding = played.calls.filter(
    ({ status, call }) => status < 400 || retired.includes(call),
  );
  const called = new Set(succeeding.map(({ call }) => call.replace('HEAD ', 'GET ')));
  // A call for API keys and for admins has one handler, and is played for one of them.
  const shown = routes.filter((route) => called.has(nameRoute(route)));
  const handlers = new Set(shown.map(({ handler }) => handler));
  const left = routes.filter(({ handler }) => !handlers.has(handler));
  expect(left.map((route) => nameRoute(route))).toEqual([]);
});
