// The signals to partitions: applications wait in queues of their own.
import type { Client } from '@temporalio/client';
import { expect, test, vi } from 'vitest';
import { createPartitionSignaller } from '../../../lib/temporal/signal-partition.ts';

/** A client whose signals to one application's partitions end only when the test says so. */
function createClient(heldAppUid: string) {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  let running = 0;
  const workflow = {
    async signalWithStart(_type: string, { args }: { args: [{ appUid: string }] }): Promise<void> {
      if (args[0].appUid !== heldAppUid) return;
      running += 1;
      await ended;
    },
  };
  const withDeadline = (_deadline: number, call: () => Promise<void>): Promise<void> => call();
  const client = { workflow, withDeadline } as unknown as Client;
  return { client, end, running: () => running };
}

test('the signals of an application with many partitions hold up none of another', async () => {
  const { client, end, running } = createClient('app_many');
  const signal = createPartitionSignaller(client);
  const common = { webhookUid: 'whk_1', entity: 'agent' } as const;
  const many = Array.from({ length: 300 }, (_, n) =>
    signal({ ...common, appUid: 'app_many', resourceUid: `agt_${n}` }),
  );
  await signal({ ...common, appUid: 'app_few', resourceUid: 'agt_1' });
  // Three quarters of the concurrent signals.
  await vi.waitFor(() => expect(running()).toBe(75));
  end();
  await Promise.all(many);
  expect(running()).toBe(300);
});
