import { canonicalEmail } from '../../lib/access/canonical-email.ts';
import { limits } from '../../lib/limits.ts';
import { readPage } from '../../lib/mongo/paging.ts';
import { listHandler } from '../http/list-handler.ts';
import { identifierUpTo, type Parameter, textUpTo } from '../http/query-values.ts';
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
};

const facts: Operation = {
  id: 'listUsers',
  summary: 'List users',
  description: 'The list is ordered from newest to oldest.',
  answers: { 200: pageOf(userSchema) },
};

export const listUsers = operation(
  facts,
  listHandler(userFilters, async (request, { store, config }) => {
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
  }),
);
