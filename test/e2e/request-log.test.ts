// What the api logs of requests: whose they were, behind proxies too, and what was refused for the load.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createInstallation } from '../support/installation.ts';
import type { Installation } from '../support/installation.ts';
import { startRole } from '../support/role-process.ts';
import type { RoleProcess } from '../support/role-process.ts';
import { waitFor } from '../support/wait-for.ts';

const connectionsMax = 4;

let installation: Installation;
let api: RoleProcess;

beforeAll(async () => {
  installation = await createInstallation({
    HERALD_TRUSTED_PROXY_HOPS: '1',
    HERALD_CONNECTIONS: String(connectionsMax),
  });
  api = await startRole('api', installation.env);
}, 60_000);

afterAll(async () => {
  await api?.[Symbol.asyncDispose]();
  await installation?.[Symbol.asyncDispose]();
});

const lineOf = (requestId: string): Promise<Record<string, unknown>> =>
  waitFor(() => api.lines.find((line) => line['requestId'] === requestId), { what: 'a log line' });

test.each([
  ['203.0.113.9', '203.0.113.9'],
  ['6.6.6.6, 203.0.113.9', '203.0.113.9'],
  ['6.6.6.6, nonsense', '127.0.0.1'],
])(
  'behind one proxy that forwards for %j the log has the address %s',
  async (forwarded, logged) => {
    const answer = await fetch(`http://127.0.0.1:${api.port}/nothing`, {
      headers: { 'x-forwarded-for': forwarded, connection: 'close' },
    });
    const line = await lineOf(answer.headers.get('x-request-id') ?? '');
    expect(line).toMatchObject({ msg: 'request.completed', status: 404, remoteAddress: logged });
  },
);

test('connections beyond the limit are one log line a second', async () => {
  const sockets = Array.from({ length: connectionsMax + 6 }, () =>
    connect(api.port, '127.0.0.1').on('error', () => undefined),
  );
  const [dropped] = await Promise.all([
    waitFor(() => api.lines.find((line) => line.msg === 'connections.dropped'), {
      what: 'the log line',
    }),
    Promise.race(sockets.map((socket) => once(socket, 'close'))),
  ]);
  expect(dropped).toMatchObject({ level: 'warn', dropped: 6, connectionsMax });
  for (const socket of sockets) socket.destroy();
});
