// The admin of a development installation: created on the first start, found on later ones.
import { createAdmin, resetPassword } from '../../lib/access/create-admin.ts';
import { newPassword, verifyPassword } from '../../lib/access/password.ts';
import type { Config } from '../../lib/config/config.ts';
import { readJson } from '../../lib/config/dev-file.ts';
import { type DevAdmin, writeDevFile } from './dev-files.ts';
import { connectStore, type Store } from '../../lib/mongo/connect.ts';

const email = 'admin@localhost';

interface DevAdminOptions {
  /** The path of the file with the password. Null keeps none. */
  path: string | null;
  /** Whether the database is kept by `npm start`. */
  isOwnDatabase: boolean;
}

/** Returns null if other people are the admins, or the password of that admin is not known here. */
export async function findOrCreateDevAdmin(
  config: Config,
  { path, isOwnDatabase }: DevAdminOptions,
): Promise<DevAdmin | null> {
  await using store = await connectStore(config.mongodb);
  const last = path === null ? null : await readJson<DevAdmin>(path);
  const found = await store.admins.findOne({ email });
  if (found !== null) return last && (await find(store, last, found));
  if (!isOwnDatabase && (await store.admins.findOne({})) !== null) return null;
  const admin = { uid: null, email, password: last?.password ?? newPassword() };
  // Written first, so that a killed start leaves no admin whose password nobody knows.
  if (path !== null) await writeDevFile(path, admin);
  const { _id: uid } = await createAdmin(store, { ...admin, superuser: true });
  const made = { ...admin, uid };
  if (path !== null) await writeDevFile(path, made);
  return made;
}

/** Resets the password if it was changed, but not for an admin that somebody else created. */
async function find(
  store: Store,
  last: DevAdmin,
  { _id, passwordHash }: { _id: string; passwordHash: string | null },
): Promise<DevAdmin | null> {
  const queue = { queue: 'known', group: _id } as const;
  if (await verifyPassword(last.password, passwordHash, queue)) return last;
  if (last.uid !== _id) return null;
  await resetPassword(store, last);
  return last;
}
