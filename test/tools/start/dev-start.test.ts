// The admin and the application of a development installation: the same at each start, and never somebody else's.
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findOrCreateDevAdmin } from '../../../dev/start/dev-admin.ts';
import { findOrCreateDevApp } from '../../../dev/start/dev-app.ts';
import { createAdmin, resetPassword } from '../../../lib/access/create-admin.ts';
import { verifyPassword } from '../../../lib/access/password.ts';
import { createInstallation, type Installation } from '../../support/installation.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'herald-admin-'));
  path = join(folder, 'admin.json');
});

afterEach(() => rm(folder, { recursive: true }));

const own = (): { path: string; isOwnDatabase: boolean } => ({ path, isOwnDatabase: true });

async function fits({ store }: Installation, password: string | undefined): Promise<boolean> {
  const admin = await store.admins.findOne({ email: 'admin@localhost' });
  return verifyPassword(password ?? '', admin?.passwordHash ?? null, {
    queue: 'known',
    group: '',
  });
}

test('the first start creates a superuser, and later ones find it with the same password', async () => {
  await using installation = await createInstallation();
  const { config, store } = installation;
  const first = await findOrCreateDevAdmin(config, own());
  expect(await fits(installation, first?.password)).toBe(true);
  expect((await stat(path)).mode & 0o077).toBe(0);
  expect(await findOrCreateDevAdmin(config, own())).toEqual(first);
  expect(await store.admins.find({}).toArray()).toMatchObject([
    { _id: first?.uid, email: 'admin@localhost', superuser: true },
  ]);
});

test('a new database gets the admin with the password in the file', async () => {
  await using before = await createInstallation();
  const first = await findOrCreateDevAdmin(before.config, own());
  await using after = await createInstallation();
  const second = await findOrCreateDevAdmin(after.config, own());
  expect(second?.password).toBe(first?.password);
  expect(await fits(after, first?.password)).toBe(true);
});

test('a changed password is reset', async () => {
  await using installation = await createInstallation();
  const { config, store } = installation;
  const first = await findOrCreateDevAdmin(config, own());
  const email = 'admin@localhost';
  await resetPassword(store, { email, password: 'another long password' });
  expect(await findOrCreateDevAdmin(config, own())).toEqual(first);
  expect(await fits(installation, first?.password)).toBe(true);
});

test('an admin with that email whom somebody else created is left alone', async () => {
  await using elsewhere = await createInstallation();
  await findOrCreateDevAdmin(elsewhere.config, own());
  await using installation = await createInstallation();
  const { config, store } = installation;
  const password = 'a password of theirs';
  await createAdmin(store, { email: 'admin@localhost', password, superuser: false });
  expect(await findOrCreateDevAdmin(config, own())).toBeNull();
  expect(await findOrCreateDevAdmin(config, { path: null, isOwnDatabase: true })).toBeNull();
  expect(await fits(installation, password)).toBe(true);
});

test('a database of somebody else that has admins gets none', async () => {
  await using installation = await createInstallation();
  const { config, store } = installation;
  const email = 'ada@example.com';
  await createAdmin(store, { email, password: 'a password of hers', superuser: true });
  expect(await findOrCreateDevAdmin(config, { path, isOwnDatabase: false })).toBeNull();
  expect(await store.admins.countDocuments({})).toBe(1);
  expect((await findOrCreateDevAdmin(config, own()))?.email).toBe('admin@localhost');
});

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
