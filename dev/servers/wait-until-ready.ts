import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type GuardedProcess, logTail } from './guarded-process.ts';
import { reasonOf } from './run-program.ts';

const pollIntervalMs = 20;
export const startTimeoutMs = 60_000;

interface ReadyOptions<Value> {
  /** Undefined or a throw means not yet. */
  readonly check: () => Promise<Value | undefined>;
  readonly timeoutMs: number;
}

/** Returns the first value of `check`. After the timeout, stops the server and throws with the end of its log. */
export async function waitUntilReady<Value>(
  server: GuardedProcess,
  { check, timeoutMs }: ReadyOptions<Value>,
): Promise<Value> {
  const deadline = performance.now() + timeoutMs;
  let lastReason = 'it did not answer';
  while (!server.exit() && performance.now() < deadline) {
    try {
      const value = await check();
      if (value !== undefined && !server.exit()) return value;
    } catch (error) {
      lastReason = reasonOf(error);
    }
    await delay(pollIntervalMs);
  }
  const exit = server.exit();
  const reason = exit
    ? `it ended with ${exit.signal ?? `code ${exit.code}`}`
    : `it was not ready after ${timeoutMs / 1000} s (${lastReason})`;
  await server.stop();
  throw new Error(
    `${server.name} did not start: ${reason}. Its log, ${server.logFile}, ends:\n` +
      (await logTail(server.logFile)),
  );
}

/** Waits until the server accepts a TCP connection at a port. Throws like `waitUntilReady`. */
export async function waitForPort(server: GuardedProcess, port: number): Promise<void> {
  await waitUntilReady(server, {
    check: () => acceptsConnections(port),
    timeoutMs: startTimeoutMs,
  });
}

async function acceptsConnections(port: number): Promise<true> {
  const socket = connect({ port, host: '127.0.0.1' });
  try {
    await once(socket, 'connect');
    return true;
  } finally {
    socket.destroy();
  }
}
