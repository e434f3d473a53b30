import { formatDuration } from './format-time.ts';
import { useNow } from './use-now.ts';
import { UtcTime } from './when.tsx';

/** The remaining time in its largest units, counting down. */
export function Countdown({ at }: { at: string }) {
  const now = useNow();
  const seconds = Math.floor((Date.parse(at) - now.getTime()) / 1_000);
  return <UtcTime at={at}>{seconds < 1 ? 'now' : `in ${formatDuration(seconds * 1_000)}`}</UtcTime>;
}
