// Dispatchers beside that of the service under test: another process's, or one without Temporal.
import type { Client } from '@temporalio/client';
import { systemClock } from '../../lib/platform/clock.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import {
  createDispatcher,
  type Dispatcher,
  type DispatcherPorts,
} from '../../lib/dispatch/dispatcher.ts';

interface Servers {
  store: Store;
  temporal: { client: Client };
}

/** Makes a dispatcher as a process with the default settings has it; `ports` replace its own. */
export function newDispatcher(
  { store, temporal }: Servers,
  ports: Partial<DispatcherPorts> = {},
): Dispatcher {
  return createDispatcher({
    client: temporal.client,
    store,
    clock: systemClock,
    eager: false,
    eventsPerWorkflowMax: 60,
    workflowStartsPerSecond: 25,
    ...ports,
  });
}

/** Makes a dispatcher of which no start succeeds. */
export function newDispatcherWithoutTemporal(servers: Servers): Dispatcher {
  const withDeadline = () => Promise.reject(new Error('Temporal is away'));
  return newDispatcher(servers, { client: { withDeadline } as unknown as Client });
}
