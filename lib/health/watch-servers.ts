// Reports in the metrics whether this process reaches its servers.
import { createPings, type Servers } from './readiness.ts';
import { instruments } from '../telemetry/instruments.ts';
import { watch } from '../telemetry/watch.ts';

/** Checks until `signal` aborts. Never rejects. */
export async function watchServers(
  servers: Servers,
  options: { signal: AbortSignal; everyMs?: number },
): Promise<void> {
  const up = new Map<string, boolean>();
  const stopObserving = instruments.dependencyUp.observe((report) => {
    for (const [dependency, isUp] of up) report(isUp ? 1 : 0, { dependency });
  });
  const pings = Object.entries(createPings(servers));
  const ping = async (): Promise<void> => {
    await Promise.all(
      pings.map(async ([dependency, isOk]) => up.set(dependency, (await isOk()) === 'ok')),
    );
  };
  await watch(ping, options);
  stopObserving();
}
