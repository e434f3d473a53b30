// The service that tests of clients call, as `npm start` runs it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readDevFile } from '../../lib/config/dev-file.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface StartedService extends AsyncDisposable {
  /** Where it is and the key, for the programs of tests. */
  readonly env: Readonly<Record<string, string>>;
}

/** Starts it with data of its own, on free ports. Throws when it does not start. */
export async function startService(): Promise<StartedService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'herald-packages-'));
  const child = spawn(process.execPath, ['--import', 'tsx', 'dev/start/main.ts', '--ephemeral'], {
    cwd: root,
    env: { ...process.env, HERALD_DATA_DIR: dataDir, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    await rm(dataDir, { recursive: true, force: true });
  };
  const lines: string[] = [];
  const isReady = new Promise<boolean>((resolve) => {
    const output = createInterface(child.stdout);
    output.on('line', (line) => {
      lines.push(line);
      if (line.startsWith('agent-herald is ready')) resolve(true);
    });
    output.on('close', () => resolve(false));
  });
  const dev = (await isReady) ? await readDevFile(join(dataDir, 'dev.json')) : null;
  if (dev !== null) {
    const { apiUrl, appUid, apiKey } = dev;
    const env = { HERALD_URL: apiUrl, HERALD_APP_UID: appUid, HERALD_API_KEY: apiKey };
    return { env, [Symbol.asyncDispose]: stop };
  }
  await stop();
  throw new Error(`the service for the tests did not start: ${lines.join('\n')}`);
}
