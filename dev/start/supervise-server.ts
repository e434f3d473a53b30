// An embedded server kept running: started again on the same port and data when it dies.
import type { ProcessExit } from '../servers/guarded-process.ts';

/** What both embedded servers offer. */
export interface RunningServer extends AsyncDisposable {
  pid: number;
  exited: Promise<ProcessExit>;
}

export interface ServerOptions<S extends RunningServer> {
  name: string;
  start: () => Promise<S>;
  /** False where the data dies with the server, so that starting again would mend nothing. */
  restartable: boolean;
  progress: (line: string) => void;
  onStart: (server: S) => void;
}

/** A supervised server. `lost` resolves, with a sentence, when it died and is not coming back. */
export interface SupervisedServer extends AsyncDisposable {
  lost: Promise<string>;
}

const restartsMax = 5;
// A server that ran this long was sound: its next death is counted from the beginning.
const soundAfterMs = 20_000;

/** Starts a server and keeps it running. Throws what the first start throws. */
export async function superviseServer<S extends RunningServer>(
  options: ServerOptions<S>,
): Promise<SupervisedServer> {
  const { name, progress } = options;
  let stopping = false;
  let server = await options.start();
  options.onStart(server);

  async function watch(): Promise<string> {
    for (let restarts = 0; restarts < restartsMax; restarts += 1) {
      const startedAt = performance.now();
      const { code, signal } = await server.exited;
      if (stopping) return `${name} was stopped`;
      if (performance.now() - startedAt > soundAfterMs) restarts = 0;
      if (!options.restartable)
        return `${name} ended (${signal ?? `code ${code}`}) and its data with it`;
      progress(`${name} ended (${signal ?? `code ${code}`}); starting it again`);
      server = await options.start();
      options.onStart(server);
    }
    return `${name} ended ${restartsMax} times`;
  }
  const lost = watch().catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    return `${name} could not be started again: ${reason}`;
  });
  return {
    lost,
    async [Symbol.asyncDispose]() {
      stopping = true;
      await server[Symbol.asyncDispose]();
    },
  };
}
