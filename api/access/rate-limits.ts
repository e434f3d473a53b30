// The limits of the api: calls of a key, what strangers at an address may ask, sign-ins of a user.
import { HttpError } from '../http/problems.ts';
import { createRateLimiter, type RateLimiter, type RateLimiterPorts } from './rate-limiter.ts';
import type { RateLimit, RateStanding } from './sliding-count.ts';

const windowMs = 60_000;
/** A sign-in takes two: on the way to the identity provider and on the way back. */
const oidcVisitsPerMinute = 60;

/** How many of each a minute. */
export interface RateSettings {
  /** Calls of one API key: what one integrator may take of the service. */
  keyRequestsPerMinute: number;
  /** Refused credentials of one address: what somebody may try; who has a valid one is not counted. */
  failuresPerMinute: number;
  /** Sign-ins of one user: what a client that signs in again and again may take. */
  signInsPerMinute: number;
}

/**
 * All of them are counted in this process and shared once a second, so all fail the same way: while
 * the database is away each process holds its own callers to the limit (rate-limiter.ts).
 */
export interface RateLimits extends AsyncDisposable {
  key: RateLimiter;
  failure: RateLimiter;
  /** Visits of one address for which the identity provider is asked, and which hold a permit meanwhile. */
  oidc: RateLimiter;
  signIn: RateLimiter;
}

/** Makes the limits of a process. */
export function createRateLimits(ports: RateLimiterPorts, settings: RateSettings): RateLimits {
  const limiter = (name: string, countMax: number): RateLimiter =>
    createRateLimiter(ports, { name, countMax, windowMs });
  const limits = {
    key: limiter('key', settings.keyRequestsPerMinute),
    failure: limiter('failure', settings.failuresPerMinute),
    oidc: limiter('oidc', oidcVisitsPerMinute),
    signIn: limiter('sign-in', settings.signInsPerMinute),
  };
  return {
    ...limits,
    async [Symbol.asyncDispose]() {
      await Promise.all(Object.values(limits).map((each) => each[Symbol.asyncDispose]()));
    },
  };
}

/**
 * Counts one more of a subject and gives the headers that tell how it stands
 * (draft-ietf-httpapi-ratelimit-headers). Throws `rate_limited` with `Retry-After` at the limit.
 */
export function spend(limiter: RateLimiter, subject: string): Record<string, string> {
  const { limit } = limiter;
  const standing = limiter.take(subject);
  const headers = headersOf(limit, standing);
  if (!standing.isOver) return headers;
  const { countMax } = limit;
  const detail = `at most ${countMax} a minute; try again in ${standing.resetSeconds} s`;
  throw new HttpError('rate_limited', detail, {
    headers: { ...headers, 'retry-after': String(standing.resetSeconds) },
  });
}

function headersOf(limit: RateLimit, standing: RateStanding): Record<string, string> {
  return {
    'ratelimit-policy': `"${limit.name}";q=${limit.countMax};w=${limit.windowMs / 1_000}`,
    ratelimit: `"${limit.name}";r=${standing.remaining};t=${standing.resetSeconds}`,
  };
}
