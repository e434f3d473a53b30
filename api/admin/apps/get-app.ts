// GET /admin/api/apps/{appUid}: one application, with the role of the admin who asks.
import { AppError } from '../../../lib/platform/errors.ts';
import type { AdminHandler } from '../../router.ts';
import { presentApp } from './present-app.ts';

/** Throws `not_found`. */
export const getApp: AdminHandler = async ({ appUid, signedIn }, { store }) => {
  const app = await store.apps.findOne({ _id: appUid });
  if (app === null || signedIn.role === null) throw noSuchApp();
  return { status: 200, body: presentApp(app, signedIn.role) };
};

/** The error of an application that is not there, or is not the admin's to see. */
export function noSuchApp(): AppError {
  return new AppError('not_found', 'there is no such application');
}
