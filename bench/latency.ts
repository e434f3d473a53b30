// `npm run bench:latency`: change to receipt on an idle service, beside the floors in the same run.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, tmpdir } from 'node:os';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { launch } from '../start/launch.ts';

const warmUps = 20;
const samples = 200;
// An idle service: each change comes long after the one before has been delivered.
const pauseMs = 100;

interface Measured {
  name: string;
  ms: number[];
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function row({ name, ms }: Measured): string {
  const sorted = ms.toSorted((a, b) => a - b);
  const cells = [0.5, 0.9, 0.99, 1].map((share) =>
    percentile(sorted, share).toFixed(1).padStart(8),
  );
  return `| ${name.padEnd(34)} | ${cells.join(' | ')} |`;
}

/** A receiver that tells when each event arrived, in milliseconds of this process's clock. */
async function startReceiver() {
  const waiting = new Map<string, (at: number) => void>();
  const server = createServer((request, response) => {
    const at = performance.now();
    const id = String(request.headers['x-webhook-event-id']);
    request.resume().on('end', () => response.writeHead(200).end());
    waiting.get(id)?.(at);
    arrived.set(id, at);
  });
  const arrived = new Map<string, number>();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    arrival: (id: string): Promise<number> =>
      new Promise((resolve) => {
        const at = arrived.get(id);
        if (at === undefined) waiting.set(id, resolve);
        else resolve(at);
      }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function measure(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'herald-latency-'));
  const launched = await launch({
    env: { ...process.env, PORT: '0' },
    dataDir,
    ephemeral: true,
    progress: () => undefined,
  });
  const receiver = await startReceiver();
  try {
    const { dev } = launched;
    const base = `${dev.apiUrl}/api/v1/appuid/${dev.appUid}`;
    const post = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
      const response = await fetch(base + path, {
        method: 'POST',
        headers: { 'x-api-key': dev.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!response.ok) throw new Error(`${path} was answered ${response.status}`);
      return (await response.json()) as Record<string, unknown>;
    };
    await post('/webhooks', { url: receiver.url, entities: ['agent'], active: true });

    const bare: Measured = { name: 'bare POST to the receiver', ms: [] };
    const answered: Measured = { name: 'change: call to answer', ms: [] };
    const received: Measured = { name: 'change: call to receipt', ms: [] };
    const data = { uid: 'agt_bench', externalTenantId: 'tenant-1', agentName: 'Bench' };
    for (let n = 0; n < warmUps + samples; n += 1) {
      const bareAt = performance.now();
      await (await fetch(receiver.url, { method: 'POST', body: '{}' })).text();
      const bareMs = performance.now() - bareAt;
      const startedAt = performance.now();
      const { eventId } = await post('/changes', { event: 'agent.updated', data: { ...data, n } });
      const answeredMs = performance.now() - startedAt;
      const receivedMs = (await receiver.arrival(String(eventId))) - startedAt;
      if (n >= warmUps) {
        bare.ms.push(bareMs);
        answered.ms.push(answeredMs);
        received.ms.push(receivedMs);
      }
      await delay(pauseMs);
    }
    const lines = [
      `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${samples} changes, one every ${pauseMs} ms after the last was received`,
      '',
      '| milliseconds                       |   median |      p90 |      p99 |      max |',
      '| ---------------------------------- | -------- | -------- | -------- | -------- |',
      ...[bare, answered, received].map(row),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  } finally {
    receiver.close();
    await launched[Symbol.asyncDispose]();
    await rm(dataDir, { recursive: true, force: true });
  }
}

await measure();
process.exit(0);
