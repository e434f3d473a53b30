// The processes of the service in the world: two apis and two workers, for a while also those of the next release.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Member } from '../../dev/servers/cluster/member.ts';
import { type GuardedProcess, startGuarded } from '../../dev/servers/guarded-process.ts';
import { startTimeoutMs, waitUntilReady } from '../../dev/servers/wait-until-ready.ts';
import type { Build } from '../runner/build.ts';
import { type Points, withPoints } from './points/instrumented.ts';
import type { Balancer } from '../support/balancer.ts';
import { KeptProcess } from './kept-process.ts';

const run = promisify(execFile);

export const roleNames = ['api-1', 'api-2', 'worker-1', 'worker-2'] as const;
export const nextNames = ['api-3', 'worker-3'] as const;
export type RoleName = (typeof roleNames)[number] | (typeof nextNames)[number];

interface RolesOptions {
  readonly build: Build;
  readonly nextBundle: string;
  /** Null for the service as it is. */
  readonly points: Points | null;
  readonly folder: string;
  /** The settings of all processes. */
  readonly env: Readonly<Record<string, string>>;
  /** The ports of the apis, and the address of Temporal, as each process has it. */
  readonly placeOf: (name: RoleName) => Readonly<Record<'PORT' | 'TEMPORAL_ADDRESS', string>>;
  readonly balancer: Balancer;
  readonly progress: (line: string) => void;
}

export class Roles {
  /** The running ones. */
  readonly running = new Map<string, KeptProcess>();
  readonly #options: RolesOptions;
  readonly #special = new Map<string, Readonly<Record<string, string>>>();
  #bundle: string;
  #starts = 0;

  constructor(options: RolesOptions) {
    this.#options = options;
    this.#bundle = options.build.bundle;
  }

  async begin(names: readonly RoleName[] = roleNames): Promise<void> {
    const { progress, balancer, placeOf } = this.#options;
    const beginOne = async (name: RoleName): Promise<void> => {
      this.running.set(name, await new KeptProcess(this.#member(name), progress).begin());
      if (name.startsWith('api')) await balancer.add(Number(placeOf(name).PORT));
    };
    await Promise.all(names.map(beginOne));
  }

  async end(
    how: 'SIGKILL' | 'SIGTERM',
    names: readonly string[] = [...this.running.keys()],
  ): Promise<void> {
    const endOne = async (name: string): Promise<void> => {
      const { PORT } = this.#options.placeOf(name as RoleName);
      if (name.startsWith('api')) this.#options.balancer.remove(Number(PORT));
      await this.running.get(name)?.end(how);
      this.running.delete(name);
    };
    await Promise.all(names.map(endOne));
  }

  /** Restarts a process with settings of its own; with none, as it was. */
  async change(name: string, settings: Readonly<Record<string, string>>): Promise<void> {
    this.#special.set(name, settings);
    await this.running.get(name)?.restart('SIGTERM');
  }

  /** Ends all settings of their own. */
  async unchange(): Promise<void> {
    const changed = [...this.#special].filter(([, own]) => Object.keys(own).length > 0);
    await Promise.all(changed.map(([name]) => this.change(name, {})));
  }

  /** Replaces all processes by those of the next release, after a while in which both run. */
  async upgrade(bothMs: number): Promise<void> {
    await this.begin(nextNames);
    await sleep(bothMs);
    this.#bundle = this.#options.nextBundle;
    for (const n of [1, 2]) {
      await Promise.all([this.change(`worker-${n}`, {}), this.change(`api-${n}`, {})]);
    }
    await this.end('SIGTERM', nextNames);
  }

  /** Runs a command of `cli/`. Returns its output. */
  async command(name: 'setup' | 'start-missing', ...args: string[]): Promise<string> {
    const { build, points, env } = this.#options;
    const main = join(build.folder, 'cli', name, 'main.js');
    const own = points === null ? { args: [], env: {} } : withPoints(points, name);
    const { stdout } = await run(process.execPath, [...own.args, main, ...args], {
      env: { ...process.env, ...env, ...own.env },
    });
    return stdout;
  }

  #member(name: RoleName): Member {
    const ready = async (server: GuardedProcess): Promise<void> => {
      const check = async (): Promise<true | undefined> =>
        (await readFile(server.logFile, 'utf8')).includes('"process.ready"') || undefined;
      await waitUntilReady(server, { check, timeoutMs: startTimeoutMs });
    };
    return new Member({ name, spawn: () => this.#spawn(name), ready });
  }

  async #spawn(name: RoleName): Promise<GuardedProcess> {
    const { build, nextBundle, points, folder, env, placeOf } = this.#options;
    const role = name.replace(/-.*/, '');
    const own = points === null ? { args: [], env: {} } : withPoints(points, name);
    const isNext = (nextNames as readonly string[]).includes(name);
    this.#starts += 1;
    return startGuarded({
      name,
      binary: process.execPath,
      args: ['--enable-source-maps', ...own.args, join(build.folder, role, 'main.js')],
      env: {
        ...process.env,
        ...env,
        ...own.env,
        ...placeOf(name),
        HERALD_WORKFLOW_BUNDLE: isNext ? nextBundle : this.#bundle,
        ...this.#special.get(name),
      },
      // One for each start, so that none is lost.
      logFile: join(folder, 'logs', `${name}.${this.#starts}.log`),
    });
  }
}
