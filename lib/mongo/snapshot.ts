import type { ClientSession } from 'mongodb';
import type { Store } from './connect.ts';

const readConcern = { level: 'snapshot' } as const;

/** The driver's options for each read of a snapshot. */
export interface SnapshotRead {
  session: ClientSession;
  readConcern: typeof readConcern;
}

/** Runs reads that all see the database at one moment. Without its options, a read would see later writes. */
export function inSnapshot<T>(
  { client }: Pick<Store, 'client'>,
  read: (options: SnapshotRead) => Promise<T>,
): Promise<T> {
  // The session alone would not do: the collections inherit the client's read concern, which would replace its own.
  return client.withSession({ snapshot: true }, (session) => read({ session, readConcern }));
}
