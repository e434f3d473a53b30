// A process is suspended before its request, and continues after another one has sent the next number of its partition.
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Disposal } from '../../lib/platform/disposal.ts';
import { createApiClient } from '../support/api-client.ts';
import { startConnectProxy } from '../support/connect-proxy.ts';
import { sequenceOf } from '../support/counting-receiver.ts';
import { insertWebhook } from '../support/fixtures.ts';
import { createInstallation } from '../support/installation.ts';
import {
  makeKeyPair,
  type Receiver,
  startReceiver,
  startTlsReceiver,
} from '../support/receivers.ts';
import { startRole } from '../support/role-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { reportChange } from '../support/webhook-calls.ts';

const connected = 'HTTP/1.1 200 Said\r\n\r\n';

interface TrustedReceiver extends Receiver {
  /** For processes that must trust it. */
  readonly env?: Record<string, string>;
}

const receive = (response: ServerResponse): unknown => response.end();

async function startTrusted(open: Disposal): Promise<TrustedReceiver> {
  const pair = makeKeyPair();
  const folder = await mkdtemp(join(tmpdir(), 'herald-trust-'));
  open.defer(() => rm(folder, { recursive: true }));
  const NODE_EXTRA_CA_CERTS = join(folder, 'ca.pem');
  await writeFile(NODE_EXTRA_CA_CERTS, pair.cert);
  return { ...open.use(await startTlsReceiver(pair, receive)), env: { NODE_EXTRA_CA_CERTS } };
}

const phases = [
  { during: 'while it connected', isSecure: false },
  { during: 'in its TLS handshake', isSecure: true },
];

test.each(phases)(
  'a receiver gets no number after the next one from a process that was suspended $during',
  async ({ isSecure }) => {
    await using open = new Disposal();
    const installation = open.use(await createInstallation());
    const receiver: TrustedReceiver = isSecure
      ? await startTrusted(open)
      : open.use(await startReceiver(receive));
    let isFirst = true;
    const proxy = open.use(
      await startConnectProxy(() => {
        const reaction = isFirst ? 'silence' : 'connect';
        isFirst = false;
        return reaction;
      }),
    );
    const HERALD_EGRESS_PROXY = `http://127.0.0.1:${proxy.port}`;
    const env = { ...installation.env, ...receiver.env, HERALD_EGRESS_PROXY };
    const api = open.use(await startRole('api', env));
    open.use(await startRole('worker', env));
    await insertWebhook(installation, { url: receiver.url, ordering: 'resource' });
    const client = createApiClient(`http://127.0.0.1:${api.port}`, installation.app);
    await reportChange(client, { uid: 'agt_1' });
    await waitFor(() => proxy.targets.length === 1, { what: 'the first connection' });
    const [held] = proxy.sockets;
    if (held === undefined) throw new Error('nothing has connected');
    // The handshake starts when the proxy has connected.
    const begun: Buffer[] = [];
    held.on('data', (bytes: Buffer) => begun.push(bytes));
    if (isSecure) {
      held.write(connected);
      await waitFor(() => begun.length > 0, { what: 'the begin of the handshake' });
    }
    await reportChange(client, { uid: 'agt_1' });

    process.kill(api.pid, 'SIGSTOP');
    try {
      await waitFor(() => receiver.requests.length === 2, {
        what: 'both from the worker',
        timeoutMs: 60_000,
      });
      // The process finally gets what it was waiting for.
      const onward = connect(Number(new URL(receiver.url).port), '127.0.0.1');
      await once(onward, 'connect');
      held.on('close', () => onward.destroy());
      if (!isSecure) held.write(connected);
      for (const bytes of begun) onward.write(bytes);
      held.removeAllListeners('data');
      held.pipe(onward).pipe(held);
      process.kill(api.pid, 'SIGCONT');
      await waitFor(() => held.destroyed || receiver.requests.length > 2, {
        what: 'the end of the suspended attempt',
      });
    } finally {
      process.kill(api.pid, 'SIGCONT');
    }
    expect(receiver.requests.map(sequenceOf)).toEqual([1, 2]);
  },
  120_000,
);
