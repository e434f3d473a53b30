import type { Replay } from '@agent-herald/client';

export const replayColors: Readonly<Record<Replay['state'], string>> = {
  running: 'blue',
  done: 'teal',
  cancelled: 'gray',
};
