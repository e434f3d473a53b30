// GET /admin/api/sign-in-methods: how admins may sign in.
import type { Handler } from '../../router.ts';

export const getSignInMethods: Handler = async (_request, { identityProvider }) => ({
  status: 200,
  body: { password: true, oidc: identityProvider !== null },
});
