// PostgreSQL for Temporal, on the loopback address and for every user of this machine.
import { access, chmod, chown, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Disposal } from '../../../lib/platform/disposal.ts';
import { startGuarded } from '../guarded-process.ts';
import { runProgram, type SystemUser } from '../run-program.ts';
import { startTimeoutMs, waitUntilReady } from '../wait-until-ready.ts';
import { Member } from './member.ts';

export const postgresUser = 'temporal';
const programTimeoutMs = 60_000;

interface PostgresOptions {
  readonly open: Disposal;
  readonly programs: string;
  readonly folder: string;
  readonly port: number;
  /** Makes what new data begins with. */
  readonly prepare: () => Promise<void>;
}

/** Starts a server on the data of an earlier run, or on new data if none was finished. */
export async function startPostgres(options: PostgresOptions): Promise<Member> {
  const { programs } = options;
  const folder = join(options.folder, 'postgres');
  const data = join(folder, 'data');
  const preparedPath = join(folder, 'prepared');
  const user = await unprivilegedUser();
  await mkdir(folder, { recursive: true });
  if (user !== undefined) {
    await chmod(options.folder, 0o711);
    await chown(folder, user.uid, user.gid);
  }
  const isPrepared = await access(preparedPath).then(
    () => true,
    () => false,
  );
  if (!isPrepared) {
    await rm(data, { recursive: true, force: true });
    const args = ['-D', data, '-U', postgresUser, '--auth=trust', '-E', 'UTF8', '--locale=C'];
    await runProgram(join(programs, 'initdb'), args, { timeoutMs: programTimeoutMs, user });
  }
  const member = options.open.use(postgresMember(options, { folder, data, user }));
  await member.start();
  if (!isPrepared) {
    await options.prepare();
    await writeFile(preparedPath, '');
  }
  return member;
}

interface Place {
  readonly folder: string;
  readonly data: string;
  readonly user: SystemUser | undefined;
}

function postgresMember(
  { programs, port }: PostgresOptions,
  { folder, data, user }: Place,
): Member {
  const name = 'postgres';
  const settings = { port, listen_addresses: '127.0.0.1', unix_socket_directories: '' };
  const args = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
  const isReady = ['-h', '127.0.0.1', '-p', String(port), '-q'];
  return new Member({
    name,
    spawn: () =>
      startGuarded({
        name,
        binary: join(programs, 'postgres'),
        args: ['-D', data, ...args],
        logFile: join(folder, 'postgres.log'),
        user,
      }),
    async ready(server) {
      const timeoutMs = programTimeoutMs;
      const check = async (): Promise<true> => {
        await runProgram(join(programs, 'pg_isready'), isReady, { timeoutMs });
        return true;
      };
      await waitUntilReady(server, { check, timeoutMs: startTimeoutMs });
    },
  });
}

/** PostgreSQL refuses to run as root; undefined for anybody else. */
async function unprivilegedUser(): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = async (which: '-u' | '-g'): Promise<number> =>
    Number(await runProgram('id', [which, 'nobody'], { timeoutMs: programTimeoutMs }));
  return { uid: await idOf('-u'), gid: await idOf('-g') };
}
