import { Stack, Text } from '@mantine/core';
import { formatDuration } from '../../parts/format-time.ts';
import { attemptsOf, positionOf } from './retry-times.ts';
import classes from './webhooks.module.css';

/** The times of a delivery's attempts, as a drawing and in words. */
export function RetryLine({ waits }: { waits: readonly string[] }) {
  const attempts = attemptsOf(waits);
  if (attempts === null) {
    return (
      <Text size="sm" c="dimmed">
        Write each wait as in 5s, 2m, 1h or 1d to see the times.
      </Text>
    );
  }
  const totalMs = attempts.at(-1)?.afterMs ?? 0;
  const total =
    totalMs === 0
      ? 'One attempt, no retries.'
      : `${attempts.length} attempts over ${formatDuration(totalMs)}. Up to 15% is added to each wait.`;
  return (
    <Stack gap={6}>
      <div className={classes['line']} aria-hidden="true">
        {attempts.map(({ n, afterMs }) => (
          <span key={n} style={{ insetInlineStart: `${positionOf(afterMs, totalMs) * 100}%` }} />
        ))}
      </div>
      <ol className={classes['attempts']} aria-label="Attempts">
        {attempts.map(({ n, afterMs }) => (
          <li key={n}>
            <b>{n}</b> {afterMs === 0 ? 'now' : `after ${formatDuration(afterMs)}`}
          </li>
        ))}
      </ol>
      <Text size="sm" c="dimmed">
        {total}
      </Text>
    </Stack>
  );
}
