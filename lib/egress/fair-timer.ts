/** Calls `run` after `delayMs`, once the sockets have been read; returns a function that stops it. */
export function startFairTimer(delayMs: number, run: () => void): () => void {
  let afterReads: NodeJS.Immediate | undefined;
  // A starved process runs its timers before it reads data that arrived in time.
  const timer = setTimeout(() => {
    afterReads = setImmediate(run);
  }, delayMs);
  return () => {
    clearTimeout(timer);
    clearImmediate(afterReads);
  };
}
