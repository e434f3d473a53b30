// Many clients connect concurrently while the process is busy.
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { createInstallation } from '../support/installation.ts';
import { startRole } from '../support/role-process.ts';
import { waitFor } from '../support/wait-for.ts';

test('a thousand connections can wait for a busy process, and each gets a response', async () => {
  await using installation = await createInstallation();
  await using api = await startRole('api', installation.env);
  // The kernel queues connections that have not been accepted, and drops some beyond its backlog.
  process.kill(api.pid, 'SIGSTOP');
  const sockets = Array.from({ length: 1_000 }, () => connect(api.port, '127.0.0.1'));
  const answers = sockets.map((socket) => once(socket, 'data'));
  try {
    await waitFor(() => sockets.every((socket) => !socket.connecting), {
      what: 'a thousand connections (a listener must be allowed as many: net.core.somaxconn)',
      state: () => sockets.filter((socket) => socket.connecting).length,
    });
    process.kill(api.pid, 'SIGCONT');
    for (const socket of sockets) socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
    const lines = (await Promise.all(answers)).map(([chunk]) => String(chunk).split('\r\n')[0]);
    expect(new Set(lines)).toEqual(new Set(['HTTP/1.1 200 OK']));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
});
