// The admin of a development installation, who signs in to its console: made on the first start, found on the next.
import { createAdmin, resetPassword } from '../../lib/access/create-admin.ts';
import { newPassword, verifyPassword } from '../../lib/access/password.ts';
import type { Config } from '../../lib/config/config.ts';
import { readJson } from '../../lib/config/dev-file.ts';
import { type DevAdmin, writeDevFile } from './dev-files.ts';
import { connectStore, type Store } from '../../lib/mongo/connect.ts';

const email = 'admin@localhost';

interface DevAdminOptions {
  /** Of the file that keeps the password; null keeps none. */
  path: string | null;
  /** Whether the database is one that `npm start` keeps. */
  isOwnDatabase: boolean;
}

/** Returns null where other people are the admins, or where that one's password is not known here. */
export async function findOrCreateDevAdmin(
  config: Config,
  options: DevAdminOptions,
): Promise<DevAdmin | null> {
  const store = await connectStore(config.mongodb);
  try {
    return await findOrCreate(store, options);
  } finally {
    await store[Symbol.asyncDispose]();
  }
}

async function findOrCreate(
  store: Store,
  { path, isOwnDatabase }: DevAdminOptions,
): Promise<DevAdmin | null> {
  const last = path === null ? null : await readJson<DevAdmin>(path);
  const found = await store.admins.findOne({ email });
  if (found !== null) return last && find(store, last, found);
  if (!isOwnDatabase && (await store.admins.findOne({})) !== null) return null;
  const admin = { uid: null, email, password: last?.password ?? newPassword() };
  // First, so that a start that is killed leaves no admin whose password nobody knows.
  if (path !== null) await writeDevFile(path, admin);
  const { _id: uid } = await createAdmin(store, { ...admin, superuser: true });
  const made = { ...admin, uid };
  if (path !== null) await writeDevFile(path, made);
  return made;
}

/** Sets the password anew where it was changed, but not of an admin that somebody else has made. */
async function find(
  store: Store,
  last: DevAdmin,
  { _id, passwordHash }: { _id: string; passwordHash: string | null },
): Promise<DevAdmin | null> {
  if (await verifyPassword(last.password, passwordHash, 'known')) return last;
  if (last.uid !== _id) return null;
  await resetPassword(store, last);
  return last;
}
