// A replica set of three whose new primary does not know yet that the latest writes were acknowledged.
import { type Timestamp } from 'mongodb';
import type { Member } from '../../dev/servers/cluster/member.ts';
import { startReplicaSet } from '../../dev/servers/cluster/replica-set.ts';
import { openDataFolder } from '../../dev/servers/data-folder.ts';
import { findBinary } from '../../dev/servers/find-binary.ts';
import { pickPorts } from '../../dev/servers/free-port.ts';
import type { Disposal } from '../../lib/platform/disposal.ts';
import { waitFor } from './wait-for.ts';

export interface FragileSet {
  uri: string;
  /** From now on the first two members acknowledge writes, but the second does not learn of it. */
  stopLearning(): Promise<void>;
  /** Kills the first member and makes the second primary: it can commit nothing, and its majority reads are stale. */
  losePrimary(): Promise<void>;
  /** Lets the new primary commit, with the third member. */
  heal(): Promise<void>;
}

export async function startFragileSet(open: Disposal): Promise<FragileSet> {
  const binary = await findBinary('mongod', { progress: () => undefined });
  const data = await openDataFolder(null, 'replica-set');
  open.defer(() => data.discard());
  const ports = await pickPorts([0, 0, 0]);
  const set = await startReplicaSet({
    open,
    binary,
    folder: data.path,
    ports,
    testCommands: true,
  });
  const [first, second, third] = set.members as [Member, Member, Member];
  const turn = (mode: 'alwaysOn' | 'off', member: Member, name: string) =>
    set.command(member, { configureFailPoint: name, mode });
  const optimeOf = async (member: Member, name: string): Promise<Timestamp> => {
    const { optimes } = await set.command(member, { replSetGetStatus: 1 });
    return (optimes as Record<string, { ts: Timestamp }>)[name]?.ts as Timestamp;
  };
  return {
    uri: set.uri,
    async stopLearning() {
      const written = await optimeOf(first, 'appliedOpTime');
      await waitFor(async () => {
        const known = await optimeOf(second, 'readConcernMajorityOpTime');
        return known.greaterThanOrEqual(written);
      });
      // Otherwise the second member could get its data through the third.
      await set.command(second, { replSetSyncFrom: `127.0.0.1:${ports[0]}` });
      await turn('alwaysOn', third, 'stopReplProducer');
      await turn('alwaysOn', second, 'disableSnapshotting');
    },
    async losePrimary() {
      await first.signal('SIGKILL');
      const standsUp = () => set.command(second, { replSetStepUp: 1 });
      await waitFor(() => standsUp().then(Boolean, () => false), { what: 'the new primary' });
    },
    async heal() {
      await turn('off', second, 'disableSnapshotting');
      await turn('off', third, 'stopReplProducer');
    },
  };
}
