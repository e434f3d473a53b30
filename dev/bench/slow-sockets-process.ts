// The process of the slow clients: holds connections open, and sends a byte per second on some.
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { nowMs } from './clock.ts';

/** Its argument, as JSON. */
export interface SlowTarget {
  apiUrl: string;
  appUid: string;
  apiKey: string;
  sockets: number;
}

/** Its message: how many connections the server closed, and after what time at most. */
export interface SlowSocketsSeen {
  cut: number;
  cutAfterMsMax: number;
}

const dripEveryMs = 1_000;
const reportEveryMs = 100;
// One after another, because opening many together would be a different kind of load.
const openEveryMs = 5;

const { apiUrl, appUid, apiKey, sockets } = JSON.parse(process.argv[2] ?? '') as SlowTarget;
const { hostname, port } = new URL(apiUrl);
const head = `POST /api/v1/appuid/${appUid}/sdkusers/auth HTTP/1.1\r\nhost: x\r\nx-api-key: ${apiKey}\r\n`;
// Headers that never end, a body that never ends, and silence after a response.
const beginnings = [
  { begin: `${head}x-more: `, drips: true },
  {
    begin: `${head}content-type: application/json\r\ncontent-length: 9000\r\n\r\n{"externalId":"`,
    drips: true,
  },
  { begin: 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n', drips: false },
];
const seen: SlowSocketsSeen = { cut: 0, cutAfterMsMax: 0 };
let open = 0;
let wereAllOpen = false;

// Keeps connection `n` open, and replaces it when it is closed.
function hold(n: number): void {
  const { begin = '', drips = false } = beginnings[n % beginnings.length] ?? {};
  const startedAtMs = nowMs();
  let drip: NodeJS.Timeout | undefined;
  const socket = connect(Number(port), hostname, () => {
    open += 1;
    socket.write(begin);
    if (drips) drip = setInterval(() => socket.write('x'), dripEveryMs);
  });
  // A close follows each error.
  socket.resume().on('error', () => undefined);
  socket.once('close', () => {
    clearInterval(drip);
    open -= 1;
    seen.cut += 1;
    seen.cutAfterMsMax = Math.max(seen.cutAfterMsMax, nowMs() - startedAtMs);
    hold(n);
  });
}

// Ends with the driver, however the driver ended.
process.once('disconnect', () => process.exit(0));
for (let n = 0; n < sockets; n += 1) {
  hold(n);
  await delay(openEveryMs);
}
setInterval(() => {
  wereAllOpen ||= open === sockets;
  // The first message says that all are open.
  if (wereAllOpen) process.send?.(seen);
}, reportEveryMs);
