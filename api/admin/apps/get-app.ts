import { AppError } from '../../../lib/platform/errors.ts';
import type { AdminHandler } from '../../route.ts';
import { appSchema, presentApp } from './present-app.ts';
import { operation, type Operation } from '../../http/operation.ts';

const facts: Operation = {
  id: 'getApp',
  summary: 'Get an application',
  answers: { 200: { description: 'The application', schema: appSchema } },
};

export const getApp: AdminHandler = operation(facts, async ({ appUid, signedIn }, { store }) => {
  const app = await store.apps.findOne({ _id: appUid });
  if (app === null || signedIn.role === null) throw noSuchApp();
  return { status: 200, body: presentApp(app, signedIn.role) };
});

export function noSuchApp(): AppError {
  return new AppError('not_found', 'there is no such application');
}
