import { readTokens } from '../../lib/identity/tokens.ts';
import { listHandler } from '../http/list-handler.ts';
import { operation, type Operation, pageOf } from '../http/operation.ts';
import { presentToken, tokenSchema } from './token.ts';
import { findUser } from './user.ts';

const facts: Operation = {
  id: 'listUserTokens',
  summary: 'List the tokens of a user',
  description:
    'The list has the valid tokens, ordered from newest to oldest. It may lack a token of the last second, or of an overloaded service.',
  answers: { 200: pageOf(tokenSchema) },
};

/** Throws `not_found`. */
export const listTokens = operation(
  facts,
  listHandler({}, async (request, context) => {
    const user = await findUser(request, context);
    const { epoch } = await context.readTokenEpoch(user);
    const wanted = { user, epoch, now: context.clock.now() };
    const { items, lastUid } = await readTokens(context.store, wanted, request.page);
    return { data: items.map(presentToken), lastUid };
  }),
);
