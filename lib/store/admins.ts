// The people of the admin area: who they are, what they may do where, and their sessions.
import type { ClientSession, Filter } from 'mongodb';
import { newId } from '../ids.ts';
import type { Store } from './connect.ts';

/**
 * Who somebody is at the identity provider. The issuer's `sub` is never given to another person,
 * which an e-mail may be (OpenID Connect Core 1.0 §2 and §5.7).
 */
export interface ProviderIdentity {
  issuer: string;
  subject: string;
}

export interface AdminDocument {
  _id: string;
  /** In its canonical form, and unique. */
  email: string;
  /** Null for an admin who only signs in through the identity provider. */
  passwordHash: string | null;
  /** The one identity that signs in as this admin; absent until the first time, and once unlinked. */
  identity?: ProviderIdentity;
  /** Is owner of every application, and makes new ones. */
  superuser: boolean;
  /** How often the browsers that it signed in with were forgotten; absent before the first time. */
  deviceEpoch?: number;
  createdAt: Date;
  updatedAt: Date;
  /** Absent until the first time. */
  lastSignedInAt?: Date;
}

/** What a member may do in an application, from the least to the most. */
export const roles = ['viewer', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

export interface MembershipDocument {
  _id: string;
  appUid: string;
  adminUid: string;
  role: Role;
  createdAt: Date;
}

export interface AdminSessionDocument {
  /** The keyed hash of the cookie's secret. */
  _id: string;
  adminUid: string;
  createdAt: Date;
  lastUsedAt: Date;
  /** When it ends, used or not; MongoDB removes it then. */
  expiresAt: Date;
}

/** Makes an admin, to be stored by the caller. `email` is canonical already. */
export function makeAdmin(
  fields: Pick<AdminDocument, 'email' | 'passwordHash' | 'superuser'>,
  now: Date,
): AdminDocument {
  return { _id: newId('adm', now), ...fields, createdAt: now, updatedAt: now };
}

/** Makes a membership, to be stored by the caller. */
export function makeMembership(
  fields: Pick<MembershipDocument, 'appUid' | 'adminUid' | 'role'>,
  now: Date,
): MembershipDocument {
  return { _id: newId('mem', now), ...fields, createdAt: now };
}

/**
 * Gives an admin that a transaction relies on, or null where there is none. Written, not only read:
 * a removal at the same moment then conflicts with it, so that no admin is named who is none.
 */
export async function holdAdmin(
  store: Store,
  filter: Filter<AdminDocument>,
  session: ClientSession,
): Promise<AdminDocument | null> {
  const touch = { $set: { updatedAt: new Date() } };
  return store.admins.findOneAndUpdate(filter, touch, { session });
}

/** Tells whether one role may do what another may. */
export function includesRole(held: Role, needed: Role): boolean {
  return roles.indexOf(held) >= roles.indexOf(needed);
}
