// A process that is suspended while it connects, and goes on after another one has sent the next number of its partition.
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { Disposal } from '../../lib/platform/disposal.ts';
import { createApiClient } from '../support/api-client.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { sequenceOf } from '../support/counting-receiver.ts';
import { insertWebhook } from '../support/fixtures.ts';
import { createInstallation } from '../support/installation.ts';
import { startReceiver } from '../support/receivers.ts';
import { startRole } from '../support/role-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { reportChange } from '../support/webhook-calls.ts';

test('a receiver gets no number after the next one from a process that was suspended while it connected', async () => {
  await using open = new Disposal();
  const installation = open.use(await createInstallation());
  const receiver = open.use(await startReceiver((response) => response.end()));
  let isFirst = true;
  const proxy = open.use(
    await startConnectProxy(() => {
      const reaction = isFirst ? 'silence' : 'connect';
      isFirst = false;
      return reaction;
    }),
  );
  const env = { ...installation.env, HERALD_EGRESS_PROXY: `http://127.0.0.1:${proxy.port}` };
  const api = open.use(await startRole('api', env));
  open.use(await startRole('worker', env));
  await insertWebhook(installation, { url: receiver.url, ordering: 'resource' });
  const client = createApiClient(`http://127.0.0.1:${api.port}`, installation.app);
  await reportChange(client, { uid: 'agt_1' });
  await waitFor(() => proxy.targets.length === 1, { what: 'the first connection' });
  await reportChange(client, { uid: 'agt_1' });

  process.kill(api.pid, 'SIGSTOP');
  try {
    await waitFor(() => receiver.requests.length === 2, {
      what: 'both from the worker',
      timeoutMs: 60_000,
    });
    // The proxy connects at last: the answer waits for the process.
    const [held] = proxy.sockets;
    if (held === undefined) throw new Error('nothing has connected');
    const onward = connect(Number(new URL(receiver.url).port), '127.0.0.1');
    await once(onward, 'connect');
    held.on('close', () => onward.destroy());
    held.write('HTTP/1.1 200 Said\r\n\r\n');
    held.pipe(onward).pipe(held);
    process.kill(api.pid, 'SIGCONT');
    await waitFor(() => held.destroyed || receiver.requests.length > 2, {
      what: 'the end of the suspended attempt',
    });
  } finally {
    process.kill(api.pid, 'SIGCONT');
  }
  expect(receiver.requests.map(sequenceOf)).toEqual([1, 2]);
}, 120_000);
