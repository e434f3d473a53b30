// The example for Express as a user starts it, with the packed files of the receiver and the real service.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../../support/service.ts';
import { waitFor } from '../../support/wait-for.ts';

const run = promisify(execFile);
const source = 'packages/receiver-ts';
let folder: string;
let service: TestService;

async function installExample(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'herald-express-'));
  await cp('examples/express', folder, { recursive: true });
  const modules = join(folder, 'node_modules');
  const receiver = join(modules, '@agent-herald', 'receiver');
  await mkdir(receiver, { recursive: true });
  await symlink(resolve('node_modules/express'), join(modules, 'express'));
  await cp(join(source, 'package.json'), join(receiver, 'package.json'));
  const compiler = resolve('node_modules/typescript/bin/tsc');
  const out = ['--outDir', join(receiver, 'dist')];
  await run(process.execPath, [compiler, '-p', join(source, 'tsconfig.json'), ...out]);
}

beforeAll(async () => {
  [service] = await Promise.all([startService(), installExample()]);
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** Starts the example and waits until it listens. */
async function startExample(secret: string) {
  const child = spawn(process.execPath, ['server.mjs'], {
    cwd: folder,
    env: { ...process.env, WEBHOOK_SECRET: secret, PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const closed = once(child, 'close');
  const lines: string[] = [];
  const reader = createInterface(child.stdout).on('line', (line) => lines.push(line));
  await Promise.race([once(reader, 'line'), closed]);
  return {
    lines,
    url: `http://127.0.0.1:${lines[0]?.replace('listening on ', '')}/hook`,
    async [Symbol.asyncDispose]() {
      child.kill();
      await closed;
    },
  };
}

test('the example shows a change of an agent, rejects a forgery, and the delivery is delivered', async () => {
  const { body: webhook } = await service.call('POST', '/webhooks', {
    body: { url: 'http://127.0.0.1:1/hook', entities: ['agent'] },
  });
  const example = await startExample(String(webhook['secret']));
  try {
    const { url } = example;
    await service.call('PATCH', `/webhooks/${String(webhook['uid'])}`, { body: { url } });
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
    const agent = { agentName: 'Support', externalTenantId: 'tenant-1' };
    await service.call('POST', '/agents', { body: agent });
    await waitFor(() => example.lines.length === 2, {
      what: 'the event',
      state: () => example.lines,
    });
    expect(example.lines[1]).toBe('verified agent.created: Support');
    await waitFor(
      async () =>
        (await service.call('GET', '/deliveries?state=delivered')).body['data']?.['length'] === 1,
      { what: 'the delivery' },
    );
  } finally {
    await example[Symbol.asyncDispose]();
  }
});
