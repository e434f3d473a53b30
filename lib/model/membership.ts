// What an admin may do in an application.

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

/** Tells whether one role may do what another may. */
export function includesRole(held: Role, needed: Role): boolean {
  return roles.indexOf(held) >= roles.indexOf(needed);
}
