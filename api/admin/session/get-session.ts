// GET /admin/api/session: who is signed in, and the CSRF token.
import type { AdminHandler } from '../../router.ts';
import { presentSession } from './present-session.ts';

export const getSession: AdminHandler = async ({ signedIn }) => ({
  status: 200,
  body: presentSession(signedIn),
});
