// The whole service inside a test: api and worker on real MongoDB and real Temporal.
import { type ApiContext, createApiContext } from '../../api/context.ts';
import { serve } from '../../api/serve.ts';
import type { Sender } from '../../lib/egress/sender.ts';
import { connectStore } from '../../lib/mongo/connect.ts';
import { type Clock, systemClock } from '../../lib/platform/clock.ts';
import { Disposal } from '../../lib/platform/disposal.ts';
import { connectTemporal, type Temporal } from '../../worker/connect-temporal.ts';
import { createDeliveryWorker } from '../../worker/create-delivery-worker.ts';
import { openSender } from '../../worker/delivery-ports.ts';
import { openFirstAttempts } from '../../worker/first-attempts.ts';
import { type ApiClient, createApiClient } from './api-client.ts';
import { createInstallation, type Installation } from './installation.ts';
import { isWatching } from './shard-keys.ts';

export interface TestService extends Installation, ApiClient {
  apiUrl: string;
  context: ApiContext;
  sender: Sender;
  temporal: Temporal;
}

export interface ServiceOptions {
  /** Settings that replace the default test settings. */
  env?: Record<string, string>;
  /** False for an api only: changes are recorded and workflows started, but nothing is delivered. */
  worker?: boolean;
  /** The clock of the api. The default is the system's. */
  clock?: Clock;
}

/** Starts a service with its own installation. */
export async function startService(options: ServiceOptions = {}): Promise<TestService> {
  const open = new Disposal();
  try {
    const installation = open.use(await createInstallation(options.env));
    const { config, store, app } = installation;
    const temporal = open.use(
      await connectTemporal(config.temporal, { publicUrl: config.http.publicUrl }),
    );
    const { worker = true, clock = systemClock } = options;
    // Its commands are told apart from those of the test.
    const own = isWatching() ? open.use(await connectStore(config.mongodb)) : store;
    const first = worker
      ? await openFirstAttempts(open, { config, store: own, temporal, clock: systemClock })
      : null;
    if (worker) open.use(await createDeliveryWorker(config));
    const { earlyAttempts = null } = first ?? {};
    const sender = first?.sender ?? open.use(openSender(config));
    const context = await createApiContext({
      config,
      store: own,
      sender,
      temporal,
      eager: worker,
      earlyAttempts,
      clock,
    });
    const api = open.use(await serve(context));
    const apiUrl = `http://127.0.0.1:${api.port}`;
    return {
      ...installation,
      ...createApiClient(apiUrl, app),
      apiUrl,
      context,
      sender,
      temporal,
      [Symbol.asyncDispose]: () => open[Symbol.asyncDispose](),
    };
  } catch (error) {
    await open[Symbol.asyncDispose]();
    throw error;
  }
}
