// A token source whose calls get given responses, for tests with a clock under control.
import { vi } from 'vitest';
import { createTokenSource, type TokenSource } from '../../../../packages/embed/src/index.ts';

export const lifetimeMs = 600_000;

/** Returns a token with these claims, or with a text in their place. */
export function tokenOf(claims: unknown): string {
  const encode = (part: unknown): string =>
    Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
  return `${encode({ alg: 'none' })}.${encode(claims)}.x`;
}

/** Returns a token that lives for ten minutes, by a clock that is wrong by years. */
export const newToken = (n = 0): string =>
  tokenOf({ iat: 1_000, exp: 1_000 + lifetimeMs / 1_000, n });

export const respond = (status: number, body: unknown = null, headers = {}): Response =>
  new Response(JSON.stringify(body), { status, headers });

export interface ScriptedSource extends TokenSource {
  /** Counts the calls of the back end. */
  callCount: () => number;
}

/** Starts a source whose calls get these results in turn, then new tokens. */
export function startSource(...results: readonly unknown[]): ScriptedSource {
  let callCount = 0;
  const source = createTokenSource({
    fetchToken: async () => {
      callCount += 1;
      if (callCount > results.length) return newToken(callCount);
      const result = results[callCount - 1];
      if (result instanceof Error) throw result;
      return result as Response;
    },
  });
  return { ...source, callCount: () => callCount };
}

/** Lets time pass until the call has a result. */
export async function settle<T>(call: Promise<T>, ms = 60_000): Promise<T> {
  call.catch(() => undefined);
  await vi.advanceTimersByTimeAsync(ms);
  return call;
}
