// The admin commands. Each throws an Error of one sentence for invalid input.
import type { ClientSession } from 'mongodb';
import { canonicalEmail } from './canonical-email.ts';
import { passwordFault } from './password-rules.ts';
import { hashPassword } from './password.ts';
import type { AdminDocument } from '../model/admin.ts';
import { systemCaller as caller } from '../model/audit-log.ts';
import { lockAdmin, makeAdmin } from './admins.ts';
import { recordAudit } from './audit-log.ts';
import { type Store } from '../mongo/connect.ts';
import { inTransaction } from '../mongo/transaction.ts';
import { isDuplicateKey } from '../mongo/write-errors.ts';

interface AdminInput {
  email: string;
  /** Null for an admin who signs in only through the identity provider. */
  password: string | null;
  superuser: boolean;
}

/** Creates an admin; the first is always a superuser, because otherwise nobody could grant rights. */
export async function createAdmin(store: Store, input: AdminInput): Promise<AdminDocument> {
  const email = readEmail(input.email);
  const passwordHash = input.password === null ? null : await hash(input.password, email);
  const now = new Date();
  const isFirst = (await store.admins.findOne({})) === null;
  const admin = makeAdmin({ email, passwordHash, superuser: input.superuser || isFirst }, now);
  const target = { kind: 'admin', uid: admin._id };
  const details = { email, superuser: admin.superuser };
  try {
    await inTransaction(store, async (session) => {
      await store.admins.insertOne(admin, { session });
      const entry = { appUid: null, action: 'admin.created', target, details };
      await recordAudit(store, entry, { caller, now, session });
    });
  } catch (error) {
    if (isDuplicateKey(error))
      throw new Error(`there is already an admin ${email}`, { cause: error });
    throw error;
  }
  return admin;
}

export async function resetPassword(
  store: Store,
  input: { email: string; password: string },
): Promise<AdminDocument> {
  const email = readEmail(input.email);
  const passwordHash = await hash(input.password, email);
  const now = new Date();
  return inTransaction(store, async (session) => {
    const update = { $set: { passwordHash, updatedAt: now }, $inc: { deviceEpoch: 1 } };
    const admin = await store.admins.findOneAndUpdate({ email }, update, { session });
    if (admin === null) throw new Error(`there is no admin ${email}`);
    await store.adminSessions.deleteMany({ adminUid: admin._id }, { session });
    const target = { kind: 'admin', uid: admin._id };
    const entry = { appUid: null, action: 'admin.password_reset', target };
    await recordAudit(store, entry, { caller, now, session });
    return admin;
  });
}

/** Also ends all sessions; the next verified sign-in with the admin's email links again. */
export async function unlinkAdmin(store: Store, input: { email: string }): Promise<AdminDocument> {
  const email = readEmail(input.email);
  const now = new Date();
  return inTransaction(store, async (session) => {
    const update = {
      $unset: { identity: true },
      $set: { updatedAt: now },
      $inc: { deviceEpoch: 1 },
    } as const;
    const admin = await store.admins.findOneAndUpdate({ email }, update, { session });
    if (admin === null) throw new Error(`there is no admin ${email}`);
    if (admin.identity === undefined)
      throw new Error(`${email} is not linked to an identity provider`);
    await store.adminSessions.deleteMany({ adminUid: admin._id }, { session });
    const target = { kind: 'admin', uid: admin._id };
    const details = { ...admin.identity };
    const entry = { appUid: null, action: 'admin.identity_unlinked', target, details };
    await recordAudit(store, entry, { caller, now, session });
    return admin;
  });
}

export async function removeAdmin(store: Store, input: { email: string }): Promise<AdminDocument> {
  const email = readEmail(input.email);
  const now = new Date();
  return inTransaction(store, async (session) => {
    const admin = await store.admins.findOneAndDelete({ email }, { session });
    if (admin === null) throw new Error(`there is no admin ${email}`);
    if (admin.superuser) await requireOtherSuperuser(store, email, session);
    await store.adminSessions.deleteMany({ adminUid: admin._id }, { session });
    await store.memberships.deleteMany({ adminUid: admin._id }, { session });
    const target = { kind: 'admin', uid: admin._id };
    const entry = { appUid: null, action: 'admin.removed', target, details: { email } };
    await recordAudit(store, entry, { caller, now, session });
    return admin;
  });
}

export async function setSuperuser(
  store: Store,
  input: { email: string; superuser: boolean },
): Promise<AdminDocument> {
  const email = readEmail(input.email);
  const { superuser } = input;
  const now = new Date();
  return inTransaction(store, async (session) => {
    const update = { $set: { superuser, updatedAt: now } };
    const admin = await store.admins.findOneAndUpdate({ email }, update, { session });
    if (admin === null) throw new Error(`there is no admin ${email}`);
    if (admin.superuser === superuser) {
      throw new Error(`${email} is ${superuser ? 'already a superuser' : 'not a superuser'}`);
    }
    if (!superuser) await requireOtherSuperuser(store, email, session);
    const target = { kind: 'admin', uid: admin._id };
    const action = superuser ? 'admin.promoted' : 'admin.demoted';
    await recordAudit(store, { appUid: null, action, target }, { caller, now, session });
    return admin;
  });
}

/** Throws if no superuser is left; two concurrent removals conflict. */
async function requireOtherSuperuser(
  store: Store,
  email: string,
  session: ClientSession,
): Promise<void> {
  const other = await lockAdmin(store, { superuser: true }, session);
  if (other === null)
    throw new Error(`${email} is the last superuser; promote another admin first`);
}

function readEmail(text: string): string {
  const email = canonicalEmail(text);
  if (email === null) throw new Error(`"${text}" is not an email address`);
  return email;
}

async function hash(password: string, email: string): Promise<string> {
  const fault = passwordFault(password, email);
  if (fault !== null) throw new Error(`the password ${fault.detail}`);
  return hashPassword(password);
}
