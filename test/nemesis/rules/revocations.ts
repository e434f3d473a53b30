// A token is refused from the response to its revocation on, and not before a revocation was requested.
import { mayHaveHappened } from './calls.ts';
import type { Facts, Finding } from './facts.ts';

export function revocations({ history }: Facts): Finding[] {
  const found: Finding[] = [];
  for (const { userUid, revocations: calls, checks } of history.tokens) {
    const revokedMs = Math.min(
      ...calls.filter(({ outcome }) => outcome === 'accepted').map(({ endMs }) => endMs),
    );
    const requestedMs = Math.min(...calls.filter(mayHaveHappened).map(({ startMs }) => startMs));
    for (const { startMs, endMs, isActive, reason } of checks) {
      const at = `${userUid} at ${startMs - history.startMs} ms`;
      if (isActive === true && startMs > revokedMs) {
        found.push({ what: `the revoked token of ${at} was active` });
      }
      if (isActive === false && endMs < requestedMs && reason !== 'expired') {
        found.push({ what: `the token of ${at} was refused (${reason})` });
      }
    }
  }
  return found;
}
