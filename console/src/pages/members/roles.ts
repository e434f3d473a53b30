import type { Member } from '@agent-herald/client';

export type Role = Member['role'];

/** Describes each role in a few words. */
export const roleTexts: Readonly<Record<Role, string>> = {
  viewer: 'sees everything, changes nothing',
  admin: 'also changes keys, webhooks, users and accounts, and resends events',
  owner: 'also manages members, and renames or disables the application',
};

export const roles = Object.keys(roleTexts) as Role[];
