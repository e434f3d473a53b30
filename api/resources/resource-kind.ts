// What agents, contexts and context files have in common: reading, listing, changing, deleting.
import type { ClientSession, Collection, Filter } from 'mongodb';
import { AppError } from '../../lib/platform/errors.ts';
import type { Entity } from '../../lib/model/event-name.ts';
import type { ResourceData } from '../../lib/model/event-payload.ts';
import type { Store } from '../../lib/mongo/connect.ts';
import { differs } from '../../lib/mongo/differs.ts';
import { type PageRequest, readPage } from '../../lib/mongo/paging.ts';
import type { ApiContext } from '../context.ts';
import type { ListAnswer } from '../http/list-handler.ts';
import type { ApiAnswer, ApiRequest } from '../router.ts';
import { type Change, recordChange } from './record-change.ts';

interface Resource {
  _id: string;
  appUid: string;
  updatedAt: Date;
}

/** A kind of resource: where it is stored, what its events are called, how clients see it. */
export interface ResourceKind<D extends Resource> {
  entity: Entity;
  collection(store: Store): Collection<D>;
  present(document: D): ResourceData;
}

/** Which resource, or which set of them: the application and whatever else the path fixes. */
export type ResourceFilter<D extends Resource> = Partial<D> & { appUid: string };

/** The error of a resource that is not there, or is another application's. */
export function noSuchResource(entity: Entity): AppError {
  const nouns = { agent: 'agent', context: 'context', contextfile: 'context file' };
  return new AppError('not_found', `there is no such ${nouns[entity]}`);
}

/** Gives one resource. Throws `not_found`. */
export async function getResource<D extends Resource>(
  kind: ResourceKind<D>,
  context: ApiContext,
  filter: ResourceFilter<D>,
): Promise<ApiAnswer> {
  const found = await kind.collection(context.store).findOne(filter as Filter<D>);
  if (found === null) throw noSuchResource(kind.entity);
  return { status: 200, body: kind.present(found as D) };
}

/** Gives a page of resources, newest first. */
export async function listResources<D extends Resource>(
  kind: ResourceKind<D>,
  context: ApiContext,
  { filter, page }: { filter: ResourceFilter<D>; page: PageRequest },
): Promise<ListAnswer> {
  const collection = kind.collection(context.store);
  const { items, lastUid } = await readPage<D>(collection, filter as Filter<D>, page);
  return { data: items.map((item) => kind.present(item as D)), lastUid };
}

/** Creates a resource, with `before` run first in the same transaction, and answers with it. */
export async function createResource<D extends Resource>(
  kind: ResourceKind<D>,
  context: ApiContext,
  options: {
    request: Pick<ApiRequest, 'appUid' | 'idempotencyKey'>;
    path: string;
    make: (session: ClientSession, now: Date) => Promise<D>;
  },
): Promise<ApiAnswer> {
  const { appUid, idempotencyKey } = options.request;
  const once = { appUid, key: idempotencyKey() };
  const answer = await recordChange(context, once, async (session, now) => {
    const document = await options.make(session, now);
    await kind.collection(context.store).insertOne(document as never, { session });
    const data = kind.present(document);
    return { answer: data, changes: [{ event: `${kind.entity}.created`, data }] };
  });
  const location = `/api/v1/appuid/${appUid}${options.path}/${answer.uid}`;
  return { status: 201, body: answer, headers: { location } };
}

/** Changes the fields that differ. When none does, nothing is written and no event is made. */
export async function changeResource<D extends Resource>(
  kind: ResourceKind<D>,
  context: ApiContext,
  { filter, fields }: { filter: ResourceFilter<D>; fields: Partial<D> },
): Promise<ApiAnswer> {
  const collection = kind.collection(context.store);
  const request = { appUid: filter.appUid, key: null };
  const answer = await recordChange(context, request, async (session, now) => {
    const before = (await collection.findOne(filter as Filter<D>, { session })) as D | null;
    if (before === null) throw noSuchResource(kind.entity);
    if (!differs(before, fields)) return { answer: kind.present(before), changes: [] };
    const set = { ...fields, updatedAt: now };
    await collection.updateOne(filter as Filter<D>, { $set: set as never }, { session });
    const data = kind.present({ ...before, ...set });
    return { answer: data, changes: [{ event: `${kind.entity}.updated`, data }] };
  });
  return { status: 200, body: answer };
}

/** Deletes a resource, and what `alsoDelete` deletes with it; events carry each as it was before. */
export async function deleteResource<D extends Resource>(
  kind: ResourceKind<D>,
  context: ApiContext,
  options: {
    filter: ResourceFilter<D>;
    alsoDelete?: (session: ClientSession) => Promise<Change[]>;
  },
): Promise<ApiAnswer> {
  const { filter, alsoDelete } = options;
  const request = { appUid: filter.appUid, key: null };
  await recordChange(context, request, async (session) => {
    const collection = kind.collection(context.store);
    const before = await collection.findOneAndDelete(filter as Filter<D>, { session });
    if (before === null) throw noSuchResource(kind.entity);
    const others = (await alsoDelete?.(session)) ?? [];
    const data = kind.present(before as D);
    return { answer: null, changes: [...others, { event: `${kind.entity}.deleted`, data }] };
  });
  return { status: 204 };
}
