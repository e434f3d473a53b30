import { Text } from '@mantine/core';
import { formatLocal, formatUtc } from './format-time.ts';

/** A time in the viewer's zone, with UTC on hover. */
export function When({ at, none = 'never' }: { at: string | null; none?: string }) {
  if (at === null) {
    return (
      <Text span c="dimmed" inherit>
        {none}
      </Text>
    );
  }
  return (
    <time dateTime={at} title={formatUtc(at)}>
      {formatLocal(at, new Date())}
    </time>
  );
}
