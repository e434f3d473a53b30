// GET /admin/api/apps/{appUid}: one application, with the caller's role.
import { AppError } from '../../../lib/platform/errors.ts';
import type { AdminHandler } from '../../router.ts';
import { presentApp } from './present-app.ts';

export const getApp: AdminHandler = async ({ appUid, signedIn }, { store }) => {
  const app = await store.apps.findOne({ _id: appUid });
  if (app === null || signedIn.role === null) throw noSuchApp();
  return { status: 200, body: presentApp(app, signedIn.role) };
};

export function noSuchApp(): AppError {
  return new AppError('not_found', 'there is no such application');
}
