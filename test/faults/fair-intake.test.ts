// However an application or a stranger fills the intake of an api process, calls of another application are neither
// refused nor much slower than alone.
import { Agent, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../lib/limits.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import { addApp, type TestApp } from '../support/add-app.ts';
import { isFull, watchIdleShare } from '../support/idle-share.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { type RoleProcess, startRole } from '../support/role-process.ts';

const callCount = 40;
const callEveryMs = 40;
const busyMs = 150;
/** Where less of the processors is idle, the machine is late, and not a queue. */
const idleShareMin = 0.1;
// A control in the same run cannot predict what else the machine does a moment later.
jest.retryTimes(2);

const open = new Disposal();
let installation: Installation;
let api: RoleProcess;
let noisy: TestApp;
let quiet: TestApp;
let aloneMs: number;

beforeAll(async () => {
  installation = open.use(await createInstallation());
  api = open.use(await startRole('api', installation.env));
  const apiUrl = `http://127.0.0.1:${api.port}`;
  noisy = await addApp({ ...installation, apiUrl }, 'Noisy');
  quiet = await addApp({ ...installation, apiUrl }, 'Quiet');
  // Warms up, so that the code is compiled.
  await callQuietly();
  aloneMs = await callQuietly();
});

afterAll(() => open[Symbol.asyncDispose]());

/** Reports changes of the quiet application at a pace. Returns the p90 of the times that they took. */
async function callQuietly(): Promise<number> {
  const calls: Promise<number>[] = [];
  for (let n = 0; n < callCount; n += 1) {
    calls.push(callOnce(n));
    await sleep(callEveryMs);
  }
  const tookMs = (await Promise.all(calls)).toSorted((a, b) => a - b);
  return tookMs[Math.floor(callCount * 0.9)] ?? NaN;
}

async function callOnce(n: number): Promise<number> {
  const beganAtMs = performance.now();
  const data = { uid: `agt_${n}`, externalTenantId: 'tenant-1' };
  const { status } = await quiet.call('POST', '/changes', {
    body: { event: 'agent.updated', data },
  });
  expect(status).toBe(202);
  return performance.now() - beganAtMs;
}

/** Fails if the quiet application's calls take much longer than alone, unless other programs fill the machine. */
async function expectAsAlone(): Promise<void> {
  const idleShare = watchIdleShare();
  const besideMs = await callQuietly();
  const [share, allowedMs] = [idleShare(), 2 * aloneMs + busyMs];
  process.stdout.write(`${JSON.stringify({ aloneMs, besideMs, share })}\n`);
  if (besideMs > allowedMs && isFull(share, idleShareMin)) return;
  expect(besideMs).toBeLessThanOrEqual(allowedMs);
}

const pathOf = ({ appUid }: TestApp): string => `/api/v1/appuid/${appUid}/changes`;

interface Noise extends AsyncDisposable {
  statuses: Record<number, number>;
}

/** Posts a body on some connections, again and again with a pause, until it is disposed of. */
function post(
  app: TestApp,
  body: string,
  { connections, pauseMs }: { connections: number; pauseMs: number },
): Noise {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const statuses: Record<number, number> = {};
  const headers = { 'x-api-key': app.apiKey, 'content-type': 'application/json' };
  const options = {
    agent,
    port: api.port,
    host: '127.0.0.1',
    method: 'POST',
    path: pathOf(app),
    headers,
  };
  const ending = new AbortController();
  const callOnceMore = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const sent = httpRequest(options, (response) => {
        const status = response.statusCode ?? 0;
        statuses[status] = (statuses[status] ?? 0) + 1;
        response.resume().once('end', resolve);
      });
      sent.once('error', reject).end(body);
    });
  const run = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await callOnceMore();
      await sleep(pauseMs);
    }
  };
  const running = Promise.all(Array.from({ length: connections }, run));
  return {
    statuses,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await running;
      agent.destroy();
    },
  };
}

/** Returns a report whose body is allowed, and whose payload is too large by the fields of the envelope. */
function tooLarge(): string {
  const head = '{"event":"agent.updated","data":{"uid":"u","externalTenantId":"t","text":"';
  return `${head}${'x'.repeat(limits.requestBytesMax - head.length - 3)}"}}`;
}

const small = JSON.stringify({ event: 'agent.updated', data: { uid: 'u', externalTenantId: 't' } });

test('reports with too large payloads do not break up the group of others', async () => {
  await using refused = post(noisy, tooLarge(), { connections: 2, pauseMs: 60 });
  await using accepted = post(noisy, small, { connections: 20, pauseMs: 80 });
  await expectAsAlone();
  expect(Object.keys(refused.statuses)).toEqual(['413']);
  expect(Object.keys(accepted.statuses)).toEqual(['202']);
});

/** Returns a body whose parse takes long for its size: texts to check one by one, and lists. */
function slowToParse(): string {
  const texts = `[${Array.from({ length: 9_900 }, () => '""').join()}]`;
  const lists = `[${Array.from({ length: 9_900 }, () => '[]').join()}]`;
  const items = [...Array.from({ length: 6 }, () => texts), lists, lists].join();
  const data = `{"uid":"\\u0061","externalTenantId":"t","items":[${items}]}`;
  return `{"event":"agent.updated","data":${data}}`;
}

test('bodies that take long to parse, on four connections, delay no other application', async () => {
  await using slow = post(noisy, slowToParse(), { connections: 4, pauseMs: 0 });
  await expectAsAlone();
  expect(Object.keys(slow.statuses)).toEqual(['202']);
});
