// GET …/sdkusers: the application's users, newest first, or the one with an external id or an e-mail.
import { canonicalEmail } from '../../lib/canonical-email.ts';
import { limits } from '../../lib/config.ts';
import { readPage } from '../../lib/store/paging.ts';
import type { UserIdentity } from '../../lib/store/users.ts';
import type { ApiContext } from '../context.ts';
import { cursorAfter, readPageQuery } from '../http/page-query.ts';
import { readText } from '../http/query-values.ts';
import type { ApiRequest, Handler } from '../http/router.ts';
import { invalidRequest } from '../http/validate.ts';
import { emailIdentity } from './user-identity.ts';
import { presentUser } from './user.ts';

/** Gives a page of users; deleted ones are not among them. Throws `invalid_request`, `invalid_cursor`. */
export const listUsers: Handler = async (request, context) => {
  const { appUid, query } = request;
  const externalId = readText(query, 'externalId', limits.externalIdCharactersMax);
  const byId = externalId === null ? {} : { externalId };
  const filter = { appUid, deletedAt: null, ...byId, ...readEmail(request, context) };
  const page = await readPage(context.store.users, filter, readPageQuery(query));
  const data = page.items.map(presentUser);
  return { status: 200, body: { data, nextCursor: cursorAfter(page.lastUid) } };
};

/** The e-mail as it was at sign-in, of which only the keyed hash is stored. */
function readEmail(
  { appUid, query }: Pick<ApiRequest, 'appUid' | 'query'>,
  { config }: Pick<ApiContext, 'config'>,
): Partial<UserIdentity> {
  const text = readText(query, 'email', limits.emailCharactersMax);
  if (text === null) return {};
  const canonical = canonicalEmail(text);
  if (canonical !== null) return emailIdentity(config.keyPepper, appUid, canonical).identity;
  const detail = 'email must be an e-mail address such as user@example.com';
  throw invalidRequest([{ pointer: 'email', code: 'format', detail }]);
}
