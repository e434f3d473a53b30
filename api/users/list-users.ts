import { canonicalEmail } from '../../lib/access/canonical-email.ts';
import { limits } from '../../lib/limits.ts';
import { readPage } from '../../lib/mongo/paging.ts';
import { nameCollation, readPrefixPage } from '../../lib/mongo/prefix-page.ts';
import { listHandler } from '../http/list-handler.ts';
import { explained, identifierUpTo, type Parameter, textUpTo } from '../http/query-values.ts';
import { invalidRequest } from '../http/validate.ts';
import { emailIdentity } from './user-identity.ts';
import { presentUser, userSchema } from './user.ts';
import { operation, type Operation, pageOf } from '../http/operation.ts';

const addressText = textUpTo(limits.emailCharactersMax);

const readEmail: Parameter<string> = Object.assign(
  (name: string, text: string): string => {
    const canonical = canonicalEmail(addressText(name, text));
    if (canonical !== null) return canonical;
    const detail = `${name} must be an email address such as user@example.com`;
    throw invalidRequest([{ pointer: name, code: 'format', detail }]);
  },
  {
    schema: {
      ...addressText.schema,
      format: 'email',
      description: 'The email address with which a user signs in, in any spelling.',
    },
  },
);

const userFilters = {
  externalId: identifierUpTo(limits.externalIdCharactersMax),
  email: readEmail,
  namePrefix: explained(
    textUpTo(limits.nameCharactersMax),
    'The beginning of the name, in any case and with or without accents. Not with another filter.',
  ),
};

const facts: Operation = {
  id: 'listUsers',
  summary: 'List users',
  description:
    'The list is ordered from newest to oldest, or with `namePrefix` by name. Users without a name are not in the latter.',
  answers: { 200: pageOf(userSchema) },
};

export const listUsers = operation(
  facts,
  listHandler(userFilters, async (request, { store, config }) => {
    const { appUid, page } = request;
    const { externalId, email, namePrefix } = request.filters;
    if (namePrefix !== null) {
      if (externalId !== null || email !== null) throw refuseCombination();
      const search = { appUid, field: 'name', prefix: namePrefix, hint: 'name' };
      const found = await readPrefixPage(
        store.users,
        { ...search, collation: nameCollation },
        page,
      );
      return { data: found.items.map(presentUser), lastUid: found.lastUid };
    }
    const filter = {
      appUid,
      deletedAt: null,
      ...(externalId === null ? {} : { externalId }),
      // Only the keyed hash of an address is stored.
      ...(email === null ? {} : emailIdentity(config.keyPepper, appUid, email).identity),
    };
    // Without the hint, MongoDB may read all users of the installation if most of them belong to one application.
    const hint = externalId === null && email === null ? { hint: 'app' } : {};
    const { items, lastUid } = await readPage(store.users, filter, { ...page, ...hint });
    return { data: items.map(presentUser), lastUid };
  }),
);

/** Together they would read users through one index that the other filter rejects. */
function refuseCombination(): Error {
  const detail = 'namePrefix must be the only filter';
  return invalidRequest([{ pointer: 'namePrefix', code: 'exactlyOne', detail }]);
}
