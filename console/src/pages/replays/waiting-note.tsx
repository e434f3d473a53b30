import { Text } from '@mantine/core';

/** Says what a waiting replay or sync waits for. */
export function WaitingNote() {
  return (
    <Text size="sm" mt="sm">
      It begins when earlier replays and syncs have ended.
    </Text>
  );
}
