import type { Config } from '../../lib/config/config.ts';
import { httpLimits } from '../../lib/limits.ts';
import { HttpError } from '../http/problems.ts';
import { RateLimiter, type RateLimiterPorts } from './rate-limiter.ts';

const windowMs = 60_000;

export type RateLimits = ReturnType<typeof createRateLimits>;

export function createRateLimits(ports: RateLimiterPorts, settings: Config['rateLimits']) {
  const limiter = (name: string, countMax: number): RateLimiter =>
    new RateLimiter(ports, { name, countMax, windowMs });
  const limits = {
    key: limiter('key', settings.keyRequestsPerMinute),
    session: limiter('session', settings.keyRequestsPerMinute),
    failure: limiter('failure', settings.failuresPerMinute),
    // Each request calls the identity provider, and holds a permit meanwhile.
    oidc: limiter('oidc', httpLimits.oidcVisitsPerMinute),
    signIn: limiter('sign-in', settings.signInsPerMinute),
  };
  return {
    ...limits,
    async [Symbol.asyncDispose](): Promise<void> {
      await Promise.all(Object.values(limits).map((each) => each[Symbol.asyncDispose]()));
    },
  };
}

/** Returns the headers of draft-ietf-httpapi-ratelimit-headers. Throws `rate_limited` with `Retry-After`. */
export function spend(limiter: RateLimiter, subject: string): Record<string, string> {
  const { name, countMax, windowMs } = limiter.limit;
  const { isOver, remaining, resetSeconds } = limiter.take(subject);
  const headers = {
    'ratelimit-policy': `"${name}";q=${countMax};w=${windowMs / 1_000}`,
    ratelimit: `"${name}";r=${remaining};t=${resetSeconds}`,
  };
  if (!isOver) return headers;
  const detail = `the limit is ${countMax} per minute; try again in ${resetSeconds} s`;
  throw new HttpError('rate_limited', detail, { headers, retryAfterSeconds: resetSeconds });
}
