// A timer that does not hold a pause of our own process against a receiver.

/**
 * Calls `run` after `delayMs`, once what the sockets have received by then is read, and gives the function
 * that stops it. A process that was stopped or starved runs its timers before it reads its sockets, so a
 * plain one would call late what came in time.
 */
export function startFairTimer(delayMs: number, run: () => void): () => void {
  let afterReads: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    afterReads = setImmediate(run);
  }, delayMs);
  return () => {
    clearTimeout(timer);
    clearImmediate(afterReads);
  };
}
