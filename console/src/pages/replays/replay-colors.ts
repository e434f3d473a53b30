import type { Replay } from '@agent-herald/client';

export const replayColors: Readonly<Record<Replay['state'], string>> = {
  waiting: 'gray',
  running: 'blue',
  done: 'teal',
  cancelled: 'gray',
};
