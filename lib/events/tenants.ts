import { subscribedEventNames } from '../model/event-name.ts';
import type { Store } from '../mongo/connect.ts';

// In the order of code points, this one follows all characters.
const lastCharacter = '\u{10ffff}';

/** Returns the first tenants, in order, that begin with a prefix and have events. Tests are no events of a tenant. */
export async function findTenants(
  { events }: Store,
  { appUid, prefix }: { appUid: string; prefix: string },
  countMax: number,
): Promise<string[]> {
  const tenants: string[] = [];
  // Each read goes to the next tenant in the index: a tenant may have any number of events.
  while (tenants.length < countMax) {
    const last = tenants.at(-1);
    // Notices of operations have an empty tenant.
    const from = last === undefined && prefix !== '' ? { $gte: prefix } : { $gt: last ?? '' };
    const next = await events.findOne(
      {
        appUid,
        externalTenantId: { ...from, $lt: prefix + lastCharacter },
        event: { $in: [...subscribedEventNames] },
      },
      {
        hint: 'tenant',
        sort: { externalTenantId: 1 },
        projection: { _id: 0, externalTenantId: 1 },
      },
    );
    if (next === null) return tenants;
    tenants.push(next.externalTenantId);
  }
  return tenants;
}
