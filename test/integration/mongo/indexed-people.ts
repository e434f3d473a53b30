// Users, agents and admins of every kind that an index distinguishes.
import { newId } from '../../../lib/platform/ids.ts';
import type { UserDocument } from '../../../lib/model/user.ts';
import { makeAdmin } from '../../../lib/access/admins.ts';
import type { Installation } from '../../support/installation.ts';

interface Many {
  /** How many of each kind. */
  count: number;
  at: Date;
}

/** Writes these people into an installation. */
export async function writePeople(installation: Installation, many: Many): Promise<void> {
  await writeUsers(installation, many);
  await writeAgents(installation, many);
  await writeAdmins(installation, many);
}

async function writeUsers({ store, app }: Installation, { count, at }: Many): Promise<void> {
  const { appUid } = app;
  const numbers = Array.from({ length: count }, (_none, index) => index);
  const make = (fields: Partial<UserDocument>): UserDocument => ({
    _id: newId('usr', at),
    appUid,
    name: null,
    accountUids: ['acc_other'],
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
    ...fields,
  });
  await store.users.insertMany([
    ...numbers.map((n) => make({ externalId: `user-${n}` })),
    ...numbers.map((n) => make({ emailKey: `key-${n}` })),
    make({ externalId: 'named', name: 'Ada' }),
    ...numbers.map(() => make({ accountUids: [], deletedAt: at })),
    make({ externalId: 'member', accountUids: ['acc_left', 'acc_other'] }),
  ]);
}

async function writeAgents({ store, app }: Installation, { count, at }: Many): Promise<void> {
  const { appUid } = app;
  const numbers = Array.from({ length: count }, (_none, index) => index);
  const lists = [null, ['acc_other'], [], ['acc_left', 'acc_other']];
  await store.agents.insertMany(
    numbers.map((n) => ({
      _id: newId('agt', at),
      appUid,
      externalTenantId: 'tenant-1',
      agentName: 'A',
      live: true,
      description: null,
      accountUids: lists[n] ?? null,
      createdAt: at,
      updatedAt: at,
    })),
  );
}

async function writeAdmins({ store }: Installation, { count, at }: Many): Promise<void> {
  const numbers = Array.from({ length: count }, (_none, index) => index);
  const make = (n: number, hasIdentity: boolean) => ({
    ...makeAdmin(
      { email: `${n}-${hasIdentity}@example.com`, passwordHash: null, superuser: false },
      at,
    ),
    ...(hasIdentity ? { identity: { issuer: 'https://id.example', subject: `s-${n}` } } : {}),
  });
  await store.admins.insertMany([
    ...numbers.map((n) => make(n, true)),
    ...numbers.map((n) => make(n, false)),
  ]);
}
