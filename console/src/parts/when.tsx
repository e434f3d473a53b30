import { Text } from '@mantine/core';
import { formatLocal, formatUtc, isSameDay } from './format-time.ts';

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

/** A time within a sentence: "at 07:15:00" today, "on 30 Nov, 07:15:00" on another day. */
export function AtTime({ at }: { at: string | null }) {
  const isToday = at !== null && isSameDay(new Date(at), new Date());
  return (
    <>
      {isToday ? 'at' : 'on'} <When at={at} />
    </>
  );
}
