// Old and new workflow code side by side (docs/upgrading.md): api and worker are replaced under load, and rolled back.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Disposal } from '../../lib/platform/disposal.ts';
import { connectTemporal, type Temporal } from '../../worker/connect-temporal.ts';
import { createApiClient } from '../support/api-client.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import { writeNextBundle } from '../support/next-release.ts';
import { type Receiver, startReceiver } from '../support/receivers.ts';
import { type RoleProcess, startRole } from '../support/role-process.ts';
import { testServers } from '../support/servers.ts';
import { waitFor } from '../support/wait-for.ts';
import { registerWebhook, reportChange } from '../support/webhook-calls.ts';

const everyMs = 200;
const ofNextRelease = 'TemporalChangeVersion = "one-more-step"';

const open = new Disposal();
let nextBundle: string;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'next-release-'));
  open.defer(() => rm(folder, { recursive: true }));
  nextBundle = join(folder, 'workflow-bundle.js');
  await writeNextBundle(nextBundle);
});

afterAll(() => open[Symbol.asyncDispose]());

interface Release {
  api: RoleProcess;
  worker: RoleProcess;
}

interface Site extends AsyncDisposable {
  installation: Installation;
  temporal: Temporal;
  receiver: Receiver;
  /** Starts the processes of a release: the workers first, as in an upgrade. */
  start: (which: 'present' | 'next') => Promise<Release>;
}

/** Creates a site whose receiver accepts an event at its attempt `takenAt`. */
async function makeSite(takenAt: number): Promise<Site> {
  const closing = new Disposal();
  // One event per workflow, so that workflows can be counted.
  const installation = closing.use(await createInstallation({ HERALD_EVENTS_PER_WORKFLOW: '1' }));
  const temporal = closing.use(await connectTemporal(installation.config.temporal));
  const receiver = closing.use(
    await startReceiver((response, { headers }) => {
      const attempt = Number(headers['x-webhook-attempt']);
      response.writeHead(attempt < takenAt ? 500 : 200).end();
    }),
  );
  const start: Site['start'] = async (which) => {
    const bundle = which === 'next' ? { HERALD_WORKFLOW_BUNDLE: nextBundle } : {};
    const env = { ...installation.env, ...bundle };
    const worker = closing.use(await startRole('worker', env));
    return { worker, api: closing.use(await startRole('api', env)) };
  };
  const dispose = () => closing[Symbol.asyncDispose]();
  return { installation, temporal, receiver, start, [Symbol.asyncDispose]: dispose };
}

function clientOf({ installation }: Site, { api }: Release): ReturnType<typeof createApiClient> {
  return createApiClient(`http://127.0.0.1:${api.port}`, installation.app);
}

async function end({ api, worker }: Release): Promise<void> {
  const ends = await Promise.all([worker.end('SIGTERM'), api.end('SIGTERM')]);
  expect(ends.map(({ code }) => code)).toEqual([0, 0]);
}

async function untilDelivered({ installation }: Site, eventIds: readonly string[]): Promise<void> {
  const filter = { eventId: { $in: [...eventIds] }, state: 'delivered' } as const;
  const { deliveries } = installation.store;
  await waitFor(async () => (await deliveries.countDocuments(filter)) === eventIds.length, {
    what: 'every delivery',
  });
}

/** Returns the attempt numbers of an event, in the order of arrival. */
function attemptsAt({ receiver }: Site, eventId: string): number[] {
  const own = receiver.requests.filter(({ headers }) => headers['x-webhook-event-id'] === eventId);
  return own.map(({ headers }) => Number(headers['x-webhook-attempt']));
}

async function countWorkflows({ temporal }: Site, query: string): Promise<number> {
  return (await temporal.client.workflow.count(query)).count;
}

test('an upgrade under load loses nothing, sends nothing twice and fails no workflow', async () => {
  await using site = await makeSite(2);
  const old = await site.start('present');
  const { url } = site.receiver;
  await registerWebhook(clientOf(site, old), { url, retrySchedule: ['3s', '3s'] });
  const eventIds: string[] = [];
  const apis = [clientOf(site, old)];
  const upgraded = new AbortController();
  const load = (async () => {
    for (let n = 0; !upgraded.signal.aborted; n += 1) {
      const client = apis[n % apis.length] ?? clientOf(site, old);
      eventIds.push(await reportChange(client, { uid: `agt_${n}` }));
      await sleep(everyMs);
    }
  })();
  await waitFor(() => eventIds.length >= 10);
  const next = await site.start('next');
  apis.push(clientOf(site, next));
  const sideBySide = eventIds.length;
  await waitFor(() => eventIds.length >= sideBySide + 20);
  apis.shift();
  // The load makes one call at a time: after two more, none is in flight at the old api.
  const both = eventIds.length;
  await waitFor(() => eventIds.length >= both + 2);
  await end(old);
  const replaced = eventIds.length;
  await waitFor(() => eventIds.length >= replaced + 10);
  upgraded.abort();
  await load;
  await untilDelivered(site, eventIds);
  for (const eventId of eventIds) expect(attemptsAt(site, eventId)).toEqual([1, 2]);
  await waitFor(
    async () => (await countWorkflows(site, 'ExecutionStatus = "Completed"')) === eventIds.length,
    { what: 'the end of every workflow' },
  );
  const ofNext = await countWorkflows(site, ofNextRelease);
  expect(ofNext).toBeGreaterThanOrEqual(20);
  expect(ofNext).toBeLessThanOrEqual(eventIds.length - 10);
});

test('after a rollback retries are sent on time, and the work of the new code is restarted', async () => {
  await using site = await makeSite(3);
  const next = await site.start('next');
  const client = clientOf(site, next);
  await registerWebhook(client, { url: site.receiver.url, retrySchedule: ['4s', '25s'] });
  const left = await Promise.all([1, 2, 3].map((n) => reportChange(client, { uid: `agt_${n}` })));
  await waitFor(() => left.every((eventId) => attemptsAt(site, eventId).length === 1));
  const old = await site.start('present');
  await end(next);
  const afterwards = await reportChange(clientOf(site, old), { uid: 'agt_4' });
  // By the old worker, which cannot continue their workflows.
  await waitFor(() => left.every((eventId) => attemptsAt(site, eventId).length === 2), {
    what: 'the second attempts',
  });
  const isRunning = `${ofNextRelease} AND ExecutionStatus = "Running"`;
  await waitFor(async () => (await countWorkflows(site, isRunning)) === left.length);
  const { workflow } = site.temporal.client;
  for await (const { workflowId } of workflow.list({ query: isRunning })) {
    await workflow.getHandle(workflowId).terminate('rolled back');
  }
  const program = join(testServers().build, 'cli', 'start-missing', 'main.js');
  const { env } = site.installation;
  await promisify(execFile)(process.execPath, [program], { env: { ...process.env, ...env } });
  await untilDelivered(site, [...left, afterwards]);
  for (const id of [...left, afterwards]) expect(attemptsAt(site, id)).toEqual([1, 2, 3]);
  const ended = left.length + 1;
  await waitFor(
    async () => (await countWorkflows(site, 'ExecutionStatus = "Completed"')) === ended,
    {
      what: 'the end of every workflow',
    },
  );
});
