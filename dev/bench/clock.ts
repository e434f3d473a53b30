/** Returns monotonic milliseconds since the start of the machine, comparable between processes. */
export function nowMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + nanoseconds / 1_000_000;
}
