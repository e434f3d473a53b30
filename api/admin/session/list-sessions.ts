import { aliveSessions } from '../../../lib/access/admin-sessions.ts';
import type { AdminSessionDocument } from '../../../lib/model/admin-session.ts';
import { readPage } from '../../../lib/mongo/paging.ts';
import { listHandler } from '../../http/list-handler.ts';
import { operation, type Operation, pageOf } from '../../http/operation.ts';
import { boolean, named, objectOf, text, textOrNull, time } from '../../http/schemas.ts';
import type { AdminRequest } from '../../router.ts';

const ownSessionSchema = named(
  'OwnSession',
  objectOf<ReturnType<typeof presentOwnSession>>({
    uid: text,
    current: { ...boolean, description: 'Whether it is the one of this call.' },
    createdAt: time,
    lastUsedAt: { ...time, description: 'To a minute.' },
    expiresAt: time,
    address: { ...textOrNull, description: 'Of the sign-in.' },
    userAgent: { ...textOrNull, description: 'What the browser said of itself then.' },
  }),
);

const facts: Operation = {
  id: 'listSessions',
  summary: 'Lists the sessions of the caller, newest first',
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
