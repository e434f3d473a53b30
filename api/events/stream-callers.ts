// The callers that read streams, and the reasons why some of them no longer may.
import { isSessionAlive } from '../../lib/access/admin-sessions.ts';
import { isKeyAlive } from '../../lib/access/api-keys.ts';
import { isActive } from '../../lib/access/apps.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import type { Clock } from '../../lib/platform/clock.ts';
import type { CloseReason } from './stream-messages.ts';

export interface StreamCaller {
  appUid: string;
  /** The uid of the API key or admin. */
  uid: string;
  /** Null for an API key. */
  sessionId: string | null;
}

interface Ports {
  store: Store;
  clock: Clock;
}

/** Returns the reasons to end the streams of some of the callers. */
export async function closeReasons(
  ports: Ports,
  callers: readonly StreamCaller[],
): Promise<ReadonlyMap<StreamCaller, CloseReason>> {
  const reasonOfKey = await readKeys(
    ports,
    callers.filter(({ sessionId }) => sessionId === null),
  );
  const reasonOfSession = await readSessions(
    ports,
    callers.filter(({ sessionId }) => sessionId !== null),
  );
  const reasons = callers.map((caller) => {
    const reason = caller.sessionId === null ? reasonOfKey(caller) : reasonOfSession(caller);
    return [caller, reason] as const;
  });
  return new Map(reasons.flatMap(([caller, reason]) => (reason ? [[caller, reason]] : [])));
}

type ReasonOf = (caller: StreamCaller) => CloseReason | null;

async function readKeys({ store, clock }: Ports, callers: StreamCaller[]): Promise<ReasonOf> {
  if (callers.length === 0) return () => null;
  const keys = await store.apiKeys.find({ _id: { $in: uidsOf(callers) } }).toArray();
  const apps = await store.apps.find({ _id: { $in: appUidsOf(callers) } }).toArray();
  const now = clock.now();
  const alive = new Set(keys.filter((key) => isKeyAlive(key, now)).map(({ _id }) => _id));
  const active = new Set(apps.filter(isActive).map(({ _id }) => _id));
  return ({ uid, appUid }) => {
    if (!alive.has(uid)) return 'key_ended';
    return active.has(appUid) ? null : 'app_disabled';
  };
}

/** Disabled applications do not end the streams of admins. */
async function readSessions({ store, clock }: Ports, callers: StreamCaller[]): Promise<ReasonOf> {
  if (callers.length === 0) return () => null;
  const ids = callers.map(({ sessionId }) => sessionId ?? '');
  const adminUids = uidsOf(callers);
  const sessions = await store.adminSessions.find({ _id: { $in: ids } }).toArray();
  const admins = await store.admins.find({ _id: { $in: adminUids }, superuser: true }).toArray();
  const ofCallers = { adminUid: { $in: adminUids }, appUid: { $in: appUidsOf(callers) } };
  const memberships = await store.memberships.find(ofCallers).toArray();
  const now = clock.now();
  const alive = new Set(sessions.filter((each) => isSessionAlive(each, now)).map(({ _id }) => _id));
  const superusers = new Set(admins.map(({ _id }) => _id));
  const members = new Set(memberships.map(({ adminUid, appUid }) => `${adminUid} ${appUid}`));
  return ({ uid, appUid, sessionId }) => {
    if (!alive.has(sessionId ?? '')) return 'session_ended';
    return superusers.has(uid) || members.has(`${uid} ${appUid}`) ? null : 'role_ended';
  };
}

function uidsOf(callers: readonly StreamCaller[]): string[] {
  return [...new Set(callers.map(({ uid }) => uid))];
}

function appUidsOf(callers: readonly StreamCaller[]): string[] {
  return [...new Set(callers.map(({ appUid }) => appUid))];
}
