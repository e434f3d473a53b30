import { aliveSessions } from '../../../lib/access/admin-sessions.ts';
import type { AdminSessionDocument } from '../../../lib/model/admin-session.ts';
import { readPage } from '../../../lib/mongo/paging.ts';
import { listHandler } from '../../http/list-handler.ts';
import { operation, type Operation, pageOf } from '../../http/operation.ts';
import { boolean, named, objectOf, text, textOrNull, time } from '../../http/schemas.ts';
import type { AdminRequest } from '../../route.ts';

const ownSessionSchema = named(
  'OwnSession',
  objectOf<ReturnType<typeof presentOwnSession>>({
    uid: text,
    current: { ...boolean, description: 'True for the session that made this call.' },
    createdAt: time,
    lastUsedAt: { ...time, description: 'The time of the last call, to the minute.' },
    expiresAt: time,
    address: { ...textOrNull, description: 'The address that signed in.' },
    userAgent: { ...textOrNull, description: 'The user agent of the browser that signed in.' },
  }),
);

const facts: Operation = {
  id: 'listSessions',
  summary: 'List the sessions of the caller',
  description: 'The list is ordered from newest to oldest.',
  answers: { 200: pageOf(ownSessionSchema) },
};

export const listSessions = operation(
  facts,
  listHandler<{}, AdminRequest>({}, async ({ signedIn, page }, { store, clock }) => {
    const own = { ...aliveSessions(clock.now()), adminUid: signedIn.admin._id };
    const { items, lastUid } = await readPage(store.adminSessions, own, page);
    return { data: items.map((each) => presentOwnSession(each, signedIn.session)), lastUid };
  }),
);

function presentOwnSession(session: AdminSessionDocument, { _id: currentUid }: { _id: string }) {
  const { _id: uid, createdAt, lastUsedAt, expiresAt, address, userAgent } = session;
  return {
    uid,
    current: uid === currentUid,
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    address,
    userAgent,
  };
}
