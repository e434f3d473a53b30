// Dispatchers besides that of the service under test: one of another process, or one without Temporal.
import type { Client } from '@temporalio/client';
import { systemClock } from '../../lib/platform/clock.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { Dispatcher, type DispatcherPorts } from '../../lib/dispatch/dispatcher.ts';

interface Servers {
  store: Store;
  temporal: { client: Client };
}

/** Makes a dispatcher with the default settings; `ports` replace its own. */
export function newDispatcher(
  { store, temporal }: Servers,
  ports: Partial<DispatcherPorts> = {},
): Dispatcher {
  return new Dispatcher({
    client: temporal.client,
    store,
    clock: systemClock,
    eager: false,
    eventsPerWorkflowMax: 60,
    ...ports,
  });
}

/** Makes a dispatcher whose starts all fail. */
export function newDispatcherWithoutTemporal(servers: Servers): Dispatcher {
  const withDeadline = () => Promise.reject(new Error('Temporal is away'));
  return newDispatcher(servers, { client: { withDeadline } as unknown as Client });
}
