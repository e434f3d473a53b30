import type { Handler } from '../../route.ts';
import { boolean, named, objectOf } from '../../http/schemas.ts';
import { operation, type Operation } from '../../http/operation.ts';

const signInMethodsSchema = named(
  'SignInMethods',
  objectOf<{ password: boolean; oidc: boolean }>({ password: boolean, oidc: boolean }),
);

const facts: Operation = {
  id: 'getSignInMethods',
  summary: 'Get the sign-in methods',
  answers: { 200: { description: 'The sign-in methods', schema: signInMethodsSchema } },
};

export const getSignInMethods: Handler = operation(
  facts,
  async (_request, { identityProvider }) => ({
    status: 200,
    body: { password: true, oidc: identityProvider !== null },
  }),
);
