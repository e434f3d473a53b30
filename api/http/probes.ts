// Paths that are never refused for load, and logged at debug.
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

export function isProbe(path: string): boolean {
  return probes.has(path);
}
