import type { ProcessExit } from '../servers/guarded-process.ts';

interface RunningServer extends AsyncDisposable {
  exited: Promise<ProcessExit>;
}

interface ServerOptions<S extends RunningServer> {
  name: string;
  start: () => Promise<S>;
  /** False where the data ends with the server. */
  restartable: boolean;
  progress: (line: string) => void;
  onStart: (server: S) => void;
}

const restartsMax = 5;
// After this long its ends are counted from the beginning.
const soundAfterMs = 20_000;

/**
 * Starts a server and restarts it when it ends, on the same port and data. `lost` resolves, with a
 * sentence, when it is not restarted. Throws what the first start throws.
 */
export async function superviseServer<S extends RunningServer>(
  options: ServerOptions<S>,
): Promise<AsyncDisposable & { lost: Promise<string> }> {
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
        return `${name} ended (${signal ?? `code ${code}`}); its data is lost`;
      progress(`${name} ended (${signal ?? `code ${code}`}); restarting it`);
      server = await options.start();
      options.onStart(server);
      // The stop saw the server before this one.
      if (stopping) await server[Symbol.asyncDispose]();
    }
    return `${name} ended ${restartsMax} times`;
  }
  const lost = watch().catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    return `${name} could not be restarted: ${reason}`;
  });
  return {
    lost,
    async [Symbol.asyncDispose]() {
      stopping = true;
      await server[Symbol.asyncDispose]();
      await lost;
    },
  };
}
