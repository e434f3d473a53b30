import { setTimeout as delay } from 'node:timers/promises';
import { startHelper } from './helper-process.ts';

export interface SlowTarget {
  apiUrl: string;
  appUid: string;
  apiKey: string;
  sockets: number;
}

export interface SlowSocketsSeen {
  open: number;
  /** How many connections the server closed, and after what time at most. */
  cut: number;
  cutAfterMsMax: number;
}

export interface SlowSockets extends AsyncDisposable {
  seen(): SlowSocketsSeen;
}

const openTimeoutMs = 30_000;

/** Opens slow connections. Resolves once all are open. Those that the server closes are reopened. */
export async function openSlowSockets(target: SlowTarget): Promise<SlowSockets> {
  let seen: SlowSocketsSeen = { open: 0, cut: 0, cutAfterMsMax: 0 };
  let allOpen: () => void = () => undefined;
  const opened = new Promise<boolean>((resolve) => {
    allOpen = () => resolve(true);
  });
  const helper = await startHelper('slow-sockets-process.ts', {
    onMessage: (said) => {
      seen = said as SlowSocketsSeen;
      if (seen.open >= target.sockets) allOpen();
    },
  });
  helper.send(target);
  if (!(await Promise.race([opened, delay(openTimeoutMs, false, { ref: false })]))) {
    const error = new Error(`only ${seen.open} slow connections came about`);
    await helper[Symbol.asyncDispose]();
    throw error;
  }
  return { seen: () => seen, [Symbol.asyncDispose]: () => helper[Symbol.asyncDispose]() };
}
