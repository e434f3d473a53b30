import { Group, Text, VisuallyHidden } from '@mantine/core';
import { useEffect, useEffectEvent, useState } from 'react';
import type { Connection } from '../../api/event-stream.ts';
import { Tag } from '../../parts/state-badge.tsx';
import type { PauseReason } from './delivery-refresh.ts';

const announceEveryMs = 10_000;

const pauses: Readonly<Record<PauseReason, string>> = {
  person: 'The list stays as it is until you resume.',
  selection: 'The list stays as it is while deliveries are selected.',
  older: 'The list stays as it is while you read older rows.',
};

interface LiveStateProps {
  about: string;
  connection: Connection;
  pauseReason: PauseReason | null;
  eventCount: number;
}

/** Whether a list follows new events, and why not. Screen readers announce changes. */
export function LiveState({ about, connection, pauseReason, eventCount }: LiveStateProps) {
  return (
    <>
      <Group gap={6} role="status" wrap="nowrap" align="flex-start">
        {pauseReason === null ? (
          <Follows connection={connection} />
        ) : (
          <Tag color="gray">paused</Tag>
        )}
        <Text size="sm">
          {pauseReason === null ? `${about} ${howOften(connection)}` : pauses[pauseReason]}
        </Text>
      </Group>
      {pauseReason === null && <NewEvents count={eventCount} />}
    </>
  );
}

function Follows({ connection }: { connection: Connection }) {
  if (connection === 'open') return <Tag color="teal">live</Tag>;
  if (connection === 'connecting') return <Tag color="gray">connecting</Tag>;
  return connection === 'cut' ? <Tag color="yellow">reconnecting</Tag> : null;
}

function howOften(connection: Connection): string {
  return connection === 'open' ? 'New ones appear by themselves.' : 'Refreshed every 10 seconds.';
}

/** Tells screen readers now and then how many events arrived. */
function NewEvents({ count }: { count: number }) {
  const [told, setTold] = useState({ count, text: '' });
  const tell = useEffectEvent(() => {
    const came = count - told.count;
    if (came === 0) return;
    setTold({ count, text: `${came} new ${came === 1 ? 'event' : 'events'}` });
  });
  useEffect(() => {
    const timer = setInterval(() => tell(), announceEveryMs);
    return () => clearInterval(timer);
  }, []);
  return <VisuallyHidden role="status">{told.text}</VisuallyHidden>;
}
