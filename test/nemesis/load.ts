// The load: applications whose operations begin at constant rates, however slow the responses are.
import { setTimeout as sleep } from 'node:timers/promises';
import { createAdmin } from '../../lib/access/create-admin.ts';
import { createAppWithKey } from '../../lib/access/create-app-with-key.ts';
import type { Config } from '../../lib/config/config.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { signIn } from '../support/admin-client.ts';
import { createApiClient } from '../support/api-client.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { type Application, newApplication, pick, type Scene } from './application.ts';
import type { Caller } from './caller.ts';
import { changeOne, report } from './changes.ts';
import { requestJob } from './jobs.ts';
import type { Receivers } from './receivers.ts';
import { operateUsers } from './users.ts';
import { createWebhook, firstWebhooks, operateWebhook, resumeAll } from './webhooks.ts';

/** The first is the quiet one, whose latency is judged. */
const applicationCount = 5;
const quietWebhooks = 2;
const callsInFlightMax = 200;

const perSecond = { change: 3.5, quiet: 1, webhook: 0.3, job: 0.15, user: 1.5 };

type Kind = keyof typeof perSecond;

export interface Load {
  scene: Scene;
  quiet: Application;
  /** Stops new calls, waits for those in flight, and resumes all webhooks. */
  stop(): Promise<void>;
}

interface LoadOptions {
  seed: number;
  apiUrl: string;
  store: Store;
  config: Config;
  caller: Caller;
  receivers: Receivers;
}

const password = 'correct horse battery staple';

async function createApplication(
  { store, config: { keyPepper } }: LoadOptions,
  number: number,
): Promise<Application> {
  const app = await createAppWithKey(store, { name: `Application ${number}`, keyPepper });
  const key = await store.apiKeys.findOne({ appUid: app.appUid });
  return newApplication(number, app, key?._id ?? '');
}

async function prepare(options: LoadOptions): Promise<Scene> {
  const { seed, apiUrl, store, caller, receivers } = options;
  const email = 'admin@example.com';
  await createAdmin(store, { email, password, superuser: true });
  const numbers = Array.from({ length: applicationCount }, (_, number) => number);
  const applications = await Promise.all(
    numbers.map((number) => createApplication(options, number)),
  );
  const client = createApiClient(apiUrl, { appUid: '', accountUid: '', apiKey: '' });
  const { headers: adminHeaders } = await signIn(client, { email, password });
  const scene: Scene = {
    caller,
    observed: { changes: [], webhooks: [], jobs: [], tokens: [], reads: [] },
    random: seededRandom(seed),
    receiversUrl: receivers.url,
    follow: (path, script) => receivers.follow(path, script),
    applications,
    adminHeaders,
  };
  for (const application of scene.applications) {
    const count = application.number === 0 ? quietWebhooks : firstWebhooks;
    for (let kind = 0; kind < count; kind += 1)
      await createWebhook(scene, application, application.number === 0 ? 0 : kind);
  }
  return scene;
}

/** Creates the applications and begins the calls. An error of this program ends the run. */
export async function startLoad(options: LoadOptions): Promise<Load> {
  const scene = await prepare(options);
  const [quiet, ...others] = scene.applications as [Application, ...Application[]];
  // The first of them makes half of the changes.
  const busy = [...others, ...others.slice(0, 1), ...others.slice(0, 1)];
  const stopping = new AbortController();
  const inFlight = new Set<Promise<void>>();
  const other = (): Application => pick(scene.random, others) ?? quiet;
  const operations: Record<Kind, () => Promise<void>> = {
    change: () => changeOne(scene, pick(scene.random, busy) ?? quiet),
    quiet: () => report(scene, quiet),
    webhook: () => operateWebhook(scene, other()),
    job: () => requestJob(scene, other()),
    user: () => operateUsers(scene, other()),
  };
  const run = async (kind: Kind): Promise<void> => {
    const startedMs = performance.now();
    for (let n = 0; !stopping.signal.aborted; n += 1) {
      await sleep(Math.max(0, startedMs + (n * 1_000) / perSecond[kind] - performance.now()));
      if (inFlight.size >= callsInFlightMax) continue;
      const operation: Promise<void> = operations[kind]().finally(() => inFlight.delete(operation));
      inFlight.add(operation);
    }
  };
  const loops = Promise.all((Object.keys(operations) as Kind[]).map(run));
  return {
    scene,
    quiet,
    async stop() {
      stopping.abort();
      await loops;
      await Promise.all(inFlight);
      for (const application of scene.applications) await resumeAll(scene, application);
    },
  };
}
