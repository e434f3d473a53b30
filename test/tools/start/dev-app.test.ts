// The application that a development installation reuses at each start.
import { expect, test } from 'vitest';
import { findOrCreateDevApp } from '../../../dev/start/dev-app.ts';
import { createInstallation } from '../../support/installation.ts';

test('an application whose accounts were all deleted is reused, with a new account', async () => {
  await using installation = await createInstallation();
  const { config, store, app } = installation;
  await store.accounts.deleteMany({});
  const first = await findOrCreateDevApp(config, null);
  const second = await findOrCreateDevApp(config, null);
  expect([first.appUid, second.appUid]).toEqual([app.appUid, app.appUid]);
  expect(second.accountUid).toBe(first.accountUid);
  expect(await store.accounts.countDocuments({ _id: first.accountUid })).toBe(1);
});
