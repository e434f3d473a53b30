// Which paths are for those who watch the process: never refused for its load, logged at debug.
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

export function isProbe(path: string): boolean {
  return probes.has(path);
}
