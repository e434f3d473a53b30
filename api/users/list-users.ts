// GET …/sdkusers: the users of the application, newest first; by external id or e-mail if asked.
import { canonicalEmail } from '../../lib/access/canonical-email.ts';
import { limits } from '../../lib/limits.ts';
import { readPage } from '../../lib/mongo/paging.ts';
import { listHandler } from '../http/list-handler.ts';
import { textUpTo } from '../http/query-values.ts';
import { invalidRequest } from '../http/validate.ts';
import { emailIdentity } from './user-identity.ts';
import { presentUser } from './user.ts';

const userFilters = { externalId: textUpTo(limits.externalIdCharactersMax), email: readEmail };

export const listUsers = listHandler(userFilters, async (request, { store, config }) => {
  const { appUid, page } = request;
  const { externalId, email } = request.filters;
  const filter = {
    appUid,
    deletedAt: null,
    ...(externalId === null ? {} : { externalId }),
    // Only the keyed hash of an address is stored.
    ...(email === null ? {} : emailIdentity(config.keyPepper, appUid, email).identity),
  };
  const { items, lastUid } = await readPage(store.users, filter, page);
  return { data: items.map(presentUser), lastUid };
});

function readEmail(name: string, text: string): string {
  const canonical = canonicalEmail(textUpTo(limits.emailCharactersMax)(name, text));
  if (canonical !== null) return canonical;
  const detail = `${name} must be an e-mail address such as user@example.com`;
  throw invalidRequest([{ pointer: name, code: 'format', detail }]);
}
