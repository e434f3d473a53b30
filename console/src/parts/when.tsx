import { Text } from '@mantine/core';
import { createContext, type ReactNode, use } from 'react';
import { formatLocal, formatUtc, isSameDay } from './format-time.ts';
import classes from './parts.module.css';

/** A time in the viewer's zone, with UTC on hover. */
export function When({ at, none = 'never' }: { at: string | null; none?: string }) {
  if (at === null) {
    return (
      <Text span c="dimmed" inherit>
        {none}
      </Text>
    );
  }
  return <UtcTime at={at}>{formatLocal(at, new Date())}</UtcTime>;
}

/** True in a table, whose many times would each be a stop of the tab key. */
export const InTable = createContext(false);

/** Shows the instant in UTC on hover and on focus; a touch or click also focuses it. */
export function UtcTime({ at, children }: { at: string; children: ReactNode }) {
  const isInTable = use(InTable);
  const utc = formatUtc(at);
  return (
    <time
      dateTime={at}
      title={utc}
      data-utc={utc}
      // Otherwise UTC could not be seen without a mouse (WCAG 2.1.1).
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={isInTable ? -1 : 0}
      className={classes['time'] ?? ''}
    >
      {children}
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
