// The clock of the bench: one that driver, receiver and floor process read alike.

/**
 * Gives milliseconds, with fractions. Node's monotonic clock counts from the start of the machine
 * and not of the process, so times taken in two processes can be subtracted, and no correction of
 * the wall clock falls between them.
 */
export function nowMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}
