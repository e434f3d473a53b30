// Makes the rules faster, so that a test need not wait as long as an operator does.
import { parseDurationMs } from '../../lib/platform/duration.ts';

/** A second instead of the rules' own. */
const evaluateEvery = '1s';

/**
 * Divides every `for`, every range and every age that a rule compares with by `factor`. Shares, counts and the
 * milliseconds of timers stay.
 */
export function shorten(rules: string, factor: number): string {
  const shorter = (duration: string): string =>
    `${Math.round(parseDurationMs(duration) / factor)}ms`;
  return rules
    .replace(/^( *interval: ).*$/m, `$1${evaluateEvery}`)
    .replace(/^( *for: )(\w+)$/gm, (_, key: string, duration: string) => key + shorter(duration))
    .replace(/\[(\w+)\]/g, (_, duration: string) => `[${shorter(duration)}]`)
    .replace(
      /(_age_seconds\S* > )(\d+)/g,
      (_, start: string, seconds: string) => start + String(Number(seconds) / factor),
    );
}
