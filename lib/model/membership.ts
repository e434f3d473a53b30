/** From the fewest rights to the most. */
export const roles = ['viewer', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

export interface MembershipDocument {
  _id: string;
  appUid: string;
  adminUid: string;
  role: Role;
  createdAt: Date;
}

export function includesRole(held: Role, needed: Role): boolean {
  return roles.indexOf(held) >= roles.indexOf(needed);
}
