import type { EventDocument } from '../model/event.ts';
import type { Store } from '../mongo/connect.ts';

type Field = 'event' | 'externalTenantId';

/** Returns the type and tenant that all events share; null where they differ. */
export async function findSharedFields(
  store: Store,
  eventIds: readonly string[],
): Promise<{ eventType: string | null; externalTenantId: string | null }> {
  const projection = { event: 1, externalTenantId: 1 } as const;
  const found =
    eventIds.length === 0
      ? []
      : await store.events
          .find<Pick<EventDocument, Field>>({ _id: { $in: [...eventIds] } }, { projection })
          .toArray();
  const shared = (field: Field): string | null => {
    const values = new Set(found.map((event) => event[field]));
    return values.size === 1 ? (found[0]?.[field] ?? null) : null;
  };
  return { eventType: shared('event'), externalTenantId: shared('externalTenantId') };
}
