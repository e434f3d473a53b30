// A process of a cluster. It can be killed, frozen, and restarted on the same ports and data.
import type { GuardedProcess } from '../guarded-process.ts';

interface MemberOptions {
  readonly name: string;
  readonly spawn: () => Promise<GuardedProcess>;
  /** Resolves once the process is operational. Throws with the end of its log. */
  readonly ready: (server: GuardedProcess) => Promise<void>;
}

export class Member implements AsyncDisposable {
  readonly name: string;
  readonly #options: MemberOptions;
  #server: GuardedProcess | null = null;

  constructor(options: MemberOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** Null while it is not running. */
  get pid(): number | null {
    return this.#server === null || this.#server.exit() ? null : this.#server.pid;
  }

  async start(): Promise<void> {
    const server = await this.#options.spawn();
    this.#server = server;
    await this.#options.ready(server);
  }

  /** Sends a signal; SIGKILL and SIGTERM also wait for the end. */
  async signal(name: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    const pid = this.pid;
    if (pid === null) throw new Error(`${this.name} does not run`);
    process.kill(pid, name);
    if (name === 'SIGKILL' || name === 'SIGTERM') await this.exited();
  }

  /** Resolves once the current process has ended. */
  async exited(): Promise<void> {
    await this.#server?.exited;
  }

  /** Kills it without flushing: persistent data survives that. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.kill();
  }
}
