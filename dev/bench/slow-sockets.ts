// The driver's side of the slow clients: starts their process and hears what became of them.
import { startHelper } from './helper-process.ts';

/** Whom to be slow to, and with how many connections. */
export interface SlowTarget {
  apiUrl: string;
  appUid: string;
  apiKey: string;
  sockets: number;
}

/** What became of the connections so far. */
export interface SlowSocketsSeen {
  open: number;
  /** How many the server ended, and how long after its beginning the slowest of them. */
  cut: number;
  cutAfterMsMax: number;
}

export interface SlowSockets extends AsyncDisposable {
  seen(): SlowSocketsSeen;
}

const openTimeoutMs = 30_000;

/** Opens the connections, and gives them once all are open. One that the server ends is opened again. */
export async function openSlowSockets(target: SlowTarget): Promise<SlowSockets> {
  let seen: SlowSocketsSeen = { open: 0, cut: 0, cutAfterMsMax: 0 };
  let allOpen: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    allOpen = resolve;
  });
  const helper = await startHelper('slow-sockets-process.ts', {
    onMessage: (said) => {
      seen = said as SlowSocketsSeen;
      if (seen.open >= target.sockets) allOpen();
    },
  });
  helper.send(target);
  const timeout = new Promise<never>((_, reject) => {
    const give = (): void => reject(new Error(`only ${seen.open} slow connections came about`));
    setTimeout(give, openTimeoutMs).unref();
  });
  try {
    await Promise.race([opened, timeout]);
  } catch (error) {
    await helper[Symbol.asyncDispose]();
    throw error;
  }
  return { seen: () => seen, [Symbol.asyncDispose]: () => helper[Symbol.asyncDispose]() };
}
