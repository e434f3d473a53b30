import { Group, Text, VisuallyHidden } from '@mantine/core';
import { useEffect, useEffectEvent, useState } from 'react';
import type { Connection } from '../../api/event-stream.ts';
import { Tag } from '../../parts/state-badge.tsx';
import type { PauseReason } from './delivery-refresh.ts';

const announceEveryMs = 10_000;

const pauses: Readonly<Record<PauseReason, string>> = {
  person: 'The list stays as it is until you resume.',
  selection: 'The list stays as it is while deliveries are selected.',
  older: 'The list stays as it is while you read older deliveries.',
};

interface LiveStateProps {
  connection: Connection;
  pauseReason: PauseReason | null;
  eventCount: number;
}

/** Whether the list of deliveries follows new events, and why not. Screen readers announce changes. */
export function LiveState({ connection, pauseReason, eventCount }: LiveStateProps) {
  return (
    <>
      <Group gap={6} role="status" mih={22}>
        {pauseReason === null ? (
          <Follows connection={connection} />
        ) : (
          <Tag color="gray">paused</Tag>
        )}
        <Text size="sm" c="dimmed">
          {pauseReason === null ? sentenceOf(connection) : pauses[pauseReason]}
        </Text>
      </Group>
      {pauseReason === null && <NewEvents count={eventCount} />}
    </>
  );
}

function Follows({ connection: { state } }: { connection: Connection }) {
  if (state === 'open') return <Tag color="teal">live</Tag>;
  if (state === 'connecting') return <Tag color="gray">connecting</Tag>;
  return state === 'cut' ? <Tag color="yellow">reconnecting</Tag> : null;
}

function sentenceOf({ state }: Connection): string {
  return state === 'open' ? 'New deliveries appear by themselves.' : 'Refreshed every 10 seconds.';
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
