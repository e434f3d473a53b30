// The memory of a process that reaches all of its bounds at the same time, with the default settings.
import { hashingBytesMax } from '../../lib/access/password.ts';
import { readConfig } from '../../lib/config/config.ts';
import {
  attemptLimits,
  egressLimits,
  httpLimits,
  limits,
  processLimits,
  streamLimits,
} from '../../lib/limits.ts';
import { makeDevSecrets } from '../start/dev-secrets.ts';

const mebibyte = 1024 ** 2;
const { http } = readConfig({ MONGODB_URI: 'mongodb://localhost', ...makeDevSecrets() });

// A request returns its permits when it is overdue.
const requestsInFlightMax =
  (attemptLimits.permitsInAllMax * limits.attemptTimeoutMs) / attemptLimits.overdueAfterMs;

const ofBoth = {
  // `--max-semi-space-size=64`, three times.
  'the young generation of the heap': 3 * 64 * mebibyte,
  'payloads of requests to receivers': requestsInFlightMax * limits.payloadBytesMax,
  'responses of receivers':
    requestsInFlightMax * (egressLimits.headerBytesMax + egressLimits.bodyBytesReadMax),
  'log lines that wait': processLimits.logBytesMax,
};

/** By role, in bytes. The first row of each is measured (docs/deployment.md, "Resources"). */
export const memoryOf = {
  api: {
    'an idle process': 256 * mebibyte,
    ...ofBoth,
    'bodies of requests':
      httpLimits.bodyBytesMax +
      httpLimits.strangersBodyBytesMax +
      http.connectionsMax * httpLimits.bodyBytesUncounted,
    'headers of connections': http.connectionsMax * httpLimits.headerBytesMax,
    'pages of lists': http.requestsAtOnceMax * limits.pageBytesMax,
    'hashes of passwords': hashingBytesMax,
    'early first attempts': attemptLimits.earlyAttemptBytesMax,
    'latest events for live streams': streamLimits.keptBytesMax,
    'messages of live streams': streamLimits.streamsMax * streamLimits.buffersBytesMax,
    'missed events of live streams': streamLimits.concurrentMissedReadsMax * limits.pageBytesMax,
  },
  worker: {
    'an idle process': 240 * mebibyte,
    ...ofBoth,
  },
} as const;

/** Returns the sum of all rows of a role. */
export function bytesOf(role: keyof typeof memoryOf): number {
  return Object.values(memoryOf[role]).reduce((sum, bytes) => sum + bytes, 0);
}
