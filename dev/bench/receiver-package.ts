// `npm run bench:receiver`: how many deliveries a second the fetch handler of packages/receiver-ts takes.
import { createHmac } from 'node:crypto';
import { parseArgs } from 'node:util';
import { runCommand } from '../../lib/platform/run-command.ts';
import { signStandardMessage } from '../../lib/webhooks/signature.ts';
import { fetchReceiver } from '../../packages/receiver-ts/src/fetch.ts';

const help = `Usage: npm run bench:receiver -- [options]

Prints how many deliveries a second the fetch handler verifies on one core, one after another.

  --bytes N    the size of a body; 2048 by default
  --rounds N   how often it is measured; 10 by default
  --help       shows this
`;
const options = {
  bytes: { type: 'string', default: '2048' },
  rounds: { type: 'string', default: '10' },
} as const;

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const batches = 40;
const deliveriesOfBatch = 250;

/** Returns a delivery with a body of exactly so many bytes. */
function requestOf(eventId: string, bytes: number): Request {
  const event = {
    eventId,
    event: 'agent.updated',
    timestamp: new Date().toISOString(),
    appUid: 'app_1',
    version: 1,
    data: { uid: 'agt_1', externalTenantId: 'tenant-1', description: '' },
  };
  event.data.description = 'a'.repeat(bytes - JSON.stringify(event).length);
  const body = JSON.stringify(event);
  const timestampSeconds = Math.floor(Date.now() / 1_000);
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': String(body.length),
    'X-Webhook-Signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'X-Webhook-Event-Id': eventId,
    'X-Webhook-Attempt': '1',
    'X-Webhook-Sequence': '1',
    'webhook-id': eventId,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': signStandardMessage(secret, { id: eventId, timestampSeconds, body }),
  };
  return new Request('http://receiver.test/', { method: 'POST', headers, body: Buffer.from(body) });
}

interface Round {
  perSecond: number;
  /** Other work on the machine does not lower this; collecting garbage on other cores does. */
  perProcessorSecond: number;
}

/** Measures the handler alone: a server makes the requests, a few at a time. */
async function measureRound(round: number, bytes: number): Promise<Round> {
  let handled = 0;
  const handle = fetchReceiver({ secrets: secret, onEvent: () => (handled += 1) });
  let seconds = 0;
  let processorSeconds = 0;
  for (let batch = 0; batch < batches; batch += 1) {
    const requests = Array.from({ length: deliveriesOfBatch }, (_, index) =>
      requestOf(`evt_${round}_${batch}_${index}`, bytes),
    );
    const usage = process.cpuUsage();
    const start = performance.now();
    for (const request of requests) await handle(request);
    seconds += (performance.now() - start) / 1_000;
    const { user, system } = process.cpuUsage(usage);
    processorSeconds += (user + system) / 1_000_000;
  }
  if (handled !== batches * deliveriesOfBatch) throw new Error(`only ${handled} were accepted`);
  return { perSecond: handled / seconds, perProcessorSecond: handled / processorSeconds };
}

function summaryOf(values: readonly number[]): string {
  const sorted = values.map(Math.round).sort((a, b) => a - b);
  const shown = (value: number | undefined): string => (value ?? 0).toLocaleString('en');
  return `median ${shown(sorted[sorted.length >> 1])}, ${shown(sorted[0])} to ${shown(sorted.at(-1))}`;
}

await runCommand(async () => {
  const { values } = parseArgs({ options });
  const rounds: Round[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1)
    rounds.push(await measureRound(round, Number(values.bytes)));
  const perSecond = summaryOf(rounds.map((round) => round.perSecond));
  const perProcessorSecond = summaryOf(rounds.map((round) => round.perProcessorSecond));
  process.stdout.write(
    `deliveries of ${values.bytes} bytes, ${values.rounds} rounds\n` +
      `  a second: ${perSecond}\n  a second of processor time: ${perProcessorSecond}\n`,
  );
}, help);
