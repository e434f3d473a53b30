// Puts together what was observed in a run.
import type { Db } from 'mongodb';
import { readDocuments } from './documents.ts';
import type { Fault, History } from './history.ts';
import type { Load } from './load.ts';
import type { Receivers } from './receivers.ts';

interface Run {
  seed: number;
  startMs: number;
  load: Load;
  receivers: Receivers;
  faults: Fault[];
  db: Db;
}

export async function observe(run: Run): Promise<History> {
  const { seed, startMs, load, receivers, faults, db } = run;
  return {
    seed,
    startMs,
    faults,
    quietAppUid: load.quiet.app.appUid,
    ...load.scene.observed,
    requests: [...receivers.requests],
    publicKeys: await publicKeysOf(load),
    documents: await readDocuments(db),
  };
}

async function publicKeysOf({ scene }: Load): Promise<History['publicKeys']> {
  const read = async ({ app }: Load['quiet']) => {
    const { body } = await scene.caller.call(app, 'GET /.well-known/webhook-keys.json');
    return [app.appUid, body['keys'] as unknown as Record<string, unknown>[]] as const;
  };
  return new Map(await Promise.all(scene.applications.map(read)));
}
