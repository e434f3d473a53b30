// The handlers that agents, contexts and context files share.
import type { ClientSession, Collection, Filter } from 'mongodb';
import { AppError } from '../../lib/platform/errors.ts';
import type { Entity } from '../../lib/model/event-name.ts';
import type { ResourceData } from '../../lib/model/event-payload.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { differs } from '../../lib/mongo/differs.ts';
import { type PageRequest, readPage } from '../../lib/mongo/paging.ts';
import type { ApiContext } from '../context.ts';
import type { ListAnswer } from '../http/list-handler.ts';
import type { ApiAnswer, ApiRequest } from '../route.ts';
import type { Change } from '../changes/make-events.ts';
import { recordChange } from '../changes/record-change.ts';

type Resource = { _id: string; appUid: string; updatedAt: Date };

export interface ResourceKind<D extends Resource> {
  entity: Entity;
  collection(store: Store): Collection<D>;
  present(document: D): ResourceData;
}

type ResourceFilter<D extends Resource> = Filter<D> & { appUid: string };

export function noSuchResource(entity: Entity): AppError {
  const nouns = { agent: 'agent', context: 'context', contextfile: 'context file' };
  return new AppError('not_found', `there is no such ${nouns[entity]}`);
}

export async function getResource<D extends Resource>(
  kind: ResourceKind<D>,
  context: ApiContext,
  filter: ResourceFilter<D>,
): Promise<ApiAnswer> {
  const found = await kind.collection(context.store).findOne(filter);
  if (found === null) throw noSuchResource(kind.entity);
  return { status: 200, body: kind.present(found as D) };
}

export async function listResources<D extends Resource>(
  kind: ResourceKind<D>,
  context: ApiContext,
  { filter, page }: { filter: ResourceFilter<D>; page: PageRequest },
): Promise<ListAnswer> {
  const { items, lastUid } = await readPage<D>(kind.collection(context.store), filter, page);
  return { data: items.map((item) => kind.present(item as D)), lastUid };
}

/** Inserts the resource that `make` returns, in the same transaction. */
export async function createResource<D extends Resource>(
  kind: ResourceKind<D>,
  context: ApiContext,
  options: {
    request: Pick<ApiRequest, 'appUid' | 'appPath' | 'idempotencyKey'>;
    path: string;
    make: (session: ClientSession, now: Date) => Promise<D>;
  },
): Promise<ApiAnswer> {
  const { appUid, appPath, idempotencyKey } = options.request;
  const once = { appUid, key: idempotencyKey(), entities: [kind.entity] };
  const answer = await recordChange(context, once, async (session, now) => {
    const document = await options.make(session, now);
    await kind.collection(context.store).insertOne(document as never, { session });
    const data = kind.present(document);
    return { answer: data, changes: [{ event: `${kind.entity}.created`, data }] };
  });
  const location = `${appPath}${options.path}/${answer.uid}`;
  return { status: 201, body: answer, headers: { location } };
}

/** Writes nothing, and makes no event, if no field changes. Throws `not_found`. */
export async function changeResource<D extends Resource>(
  kind: ResourceKind<D>,
  context: ApiContext,
  {
    filter,
    fields,
    check,
  }: {
    filter: ResourceFilter<D>;
    fields: Partial<D>;
    /** Runs in the transaction, before the write. */
    check?: (session: ClientSession, now: Date) => Promise<unknown>;
  },
): Promise<ApiAnswer> {
  const collection = kind.collection(context.store);
  const request = { appUid: filter.appUid, key: null, entities: [kind.entity] };
  const body = await recordChange(context, request, async (session, now) => {
    await check?.(session, now);
    const set = { ...fields, updatedAt: now };
    const before = await collection.findOneAndUpdate(filter, { $set: set as never }, { session });
    if (before === null) throw noSuchResource(kind.entity);
    if (!differs(before as D, fields)) {
      // An error would also roll back the other changes in the transaction.
      const { updatedAt } = before as D;
      await collection.updateOne(filter, { $set: { updatedAt } as never }, { session });
      return { answer: kind.present(before as D), changes: [] };
    }
    const data = kind.present({ ...(before as D), ...set });
    return { answer: data, changes: [{ event: `${kind.entity}.updated`, data }] };
  });
  return { status: 200, body };
}

/** Deletes a resource and what `alsoDelete` deletes; the events of the latter come first. Throws `not_found`. */
export async function deleteResource<D extends Resource>(
  kind: ResourceKind<D>,
  context: ApiContext,
  options: {
    filter: ResourceFilter<D>;
    alsoDelete?: (session: ClientSession) => Promise<Change[]>;
    /** The entities that are deleted. The default is the entity of the resource. */
    entities?: readonly Entity[];
    /** True if there may be many. */
    isLarge?: boolean;
  },
): Promise<ApiAnswer> {
  const { filter, alsoDelete, entities = [kind.entity], isLarge = false } = options;
  const request = { appUid: filter.appUid, key: null, entities, isLarge };
  await recordChange(context, request, async (session) => {
    const collection = kind.collection(context.store);
    const before = await collection.findOneAndDelete(filter, { session });
    if (before === null) throw noSuchResource(kind.entity);
    const others = (await alsoDelete?.(session)) ?? [];
    const data = kind.present(before as D);
    return { answer: null, changes: [...others, { event: `${kind.entity}.deleted`, data }] };
  });
  return { status: 204 };
}
