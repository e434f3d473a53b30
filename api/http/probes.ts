// Paths that are never rejected under load, and are logged at debug.
const probes: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

export function isProbe(path: string): boolean {
  return probes.has(path);
}
