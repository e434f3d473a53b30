// PostgreSQL for Temporal, on the loopback address and open to every user of this machine.
import { chmod, chown, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disposal } from '../../../lib/platform/disposal.ts';
import { startGuarded } from '../guarded-process.ts';
import { runProgram, type SystemUser } from '../run-program.ts';
import { startTimeoutMs, waitUntilReady } from '../wait-until-ready.ts';
import { Member } from './member.ts';

export const postgresUser = 'temporal';
const timeoutMs = 60_000;

interface PostgresOptions {
  readonly open: Disposal;
  readonly programs: string;
  readonly folder: string;
  readonly port: number;
}

/** Starts a server with new data. */
export async function startPostgres(options: PostgresOptions): Promise<Member> {
  const { open, programs, port } = options;
  const name = 'postgres';
  const folder = join(options.folder, name);
  const data = join(folder, 'data');
  const user = await unprivilegedUser();
  await mkdir(folder, { recursive: true });
  if (user !== undefined) {
    await chmod(options.folder, 0o711);
    await chown(folder, user.uid, user.gid);
  }
  const initArgs = ['-D', data, '-U', postgresUser, '--auth=trust', '-E', 'UTF8', '--locale=C'];
  await runProgram(join(programs, 'initdb'), initArgs, { timeoutMs, user });
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: '' };
  const args = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const isReady = ['-h', '127.0.0.1', '-p', String(port), '-q'];
  const check = async (): Promise<true> => {
    await runProgram(join(programs, 'pg_isready'), isReady, { timeoutMs });
    return true;
  };
  const member = open.use(
    new Member({
      name,
      spawn: () =>
        startGuarded({
          name,
          binary: join(programs, name),
          args: ['-D', data, ...args],
          logFile: join(folder, 'postgres.log'),
          user,
        }),
      async ready(server) {
        await waitUntilReady(server, { check, timeoutMs: startTimeoutMs });
      },
    }),
  );
  await member.start();
  return member;
}

/** Returns an unprivileged user, because PostgreSQL refuses to run as root. Undefined if this process is not root. */
async function unprivilegedUser(): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = async (which: '-u' | '-g'): Promise<number> =>
    Number(await runProgram('id', [which, 'nobody'], { timeoutMs }));
  return { uid: await idOf('-u'), gid: await idOf('-g') };
}
