// The process of the slow clients: holds connections open, and sends a byte per second on some.
import { connect } from 'node:net';
import { nowMs } from './clock.ts';
import type { SlowSocketsSeen, SlowTarget } from './slow-sockets.ts';

const dripEveryMs = 1_000;
const reportEveryMs = 100;
// One after another, because opening many together would be a different kind of load.
const openEveryMs = 5;

const seen: SlowSocketsSeen = { open: 0, cut: 0, cutAfterMsMax: 0 };

// Headers that never end, a body that never ends, and silence after a response.
function beginnings({ appUid, apiKey }: SlowTarget): { begin: string; drips: boolean }[] {
  const head = `POST /api/v1/appuid/${appUid}/sdkusers/auth HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\n`;
  const body = `${head}content-type: application/json\r\ncontent-length: 9000\r\n\r\n{"externalId":"`;
  return [
    { begin: `${head}x-more: `, drips: true },
    { begin: body, drips: true },
    { begin: 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n', drips: false },
  ];
}

// Keeps connection `n` open, and replaces it when it is closed.
function hold(target: SlowTarget, n: number): void {
  const all = beginnings(target);
  const { begin, drips } = all[n % all.length] ?? { begin: '', drips: false };
  const { hostname, port } = new URL(target.apiUrl);
  const startedAtMs = nowMs();
  let drip: NodeJS.Timeout | undefined;
  const socket = connect(Number(port), hostname, () => {
    seen.open += 1;
    socket.write(begin);
    if (drips) drip = setInterval(() => socket.write('x'), dripEveryMs);
  });
  // A close follows each error.
  socket.resume().on('error', () => undefined);
  socket.once('close', () => {
    clearInterval(drip);
    seen.open -= 1;
    seen.cut += 1;
    seen.cutAfterMsMax = Math.max(seen.cutAfterMsMax, nowMs() - startedAtMs);
    hold(target, n);
  });
}

process.on('message', (message) => {
  const target = message as SlowTarget;
  for (let n = 0; n < target.sockets; n += 1) setTimeout(() => hold(target, n), n * openEveryMs);
});
const report = (): void => {
  if (process.connected) process.send?.(seen);
};
setInterval(report, reportEveryMs);
// Ends with the driver, however the driver ended.
process.once('disconnect', () => process.exit(0));
report();
