// GET /admin/api/sign-in-methods: how one may sign in, for the page that asks.
import type { Handler } from '../../router.ts';

export const getSignInMethods: Handler = async (_request, { identityProvider }) => ({
  status: 200,
  body: { password: true, oidc: identityProvider !== null },
});
