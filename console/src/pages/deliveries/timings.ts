import type { Attempt } from '@agent-herald/client';

interface Phase {
  name: string;
  ms: number;
  color: string;
}

/** Returns the phases of an attempt in order. The remaining time is the rest of the response. */
export function phasesOf({ dns, connect, tls, firstByte, total }: Attempt['ms']): Phase[] {
  const named = [
    { name: 'DNS lookup', ms: dns ?? 0, color: 'grape' },
    { name: 'connection', ms: connect ?? 0, color: 'blue' },
    { name: 'TLS', ms: tls ?? 0, color: 'cyan' },
    { name: 'first byte', ms: firstByte ?? 0, color: 'teal' },
  ];
  const restMs = total - named.reduce((sum, { ms }) => sum + ms, 0);
  return [...named, { name: 'rest of response', ms: Math.max(0, restMs), color: 'gray' }].filter(
    ({ ms }) => ms > 0,
  );
}
