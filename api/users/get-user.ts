import type { Handler } from '../route.ts';
import { findUser, presentUser, userSchema } from './user.ts';
import { operation, type Operation } from '../http/operation.ts';

const facts: Operation = {
  id: 'getUser',
  summary: 'Get a user',
  answers: { 200: { description: 'The user', schema: userSchema } },
};

export const getUser: Handler = operation(facts, async (request, context) => {
  return { status: 200, body: presentUser(await findUser(request, context)) };
});
