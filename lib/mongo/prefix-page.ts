import type { CollationOptions, Collection, Document, Filter, WithId } from 'mongodb';
import { type Page, type PageRequest, takeItems } from './paging.ts';

/** Compares names without regard to case and accents. The indexes of names have it, too. */
export const nameCollation: CollationOptions = { locale: 'en', strength: 1 };

// Unicode reserves it to end ranges: in a collation it follows all other characters.
const lastCharacter = '\uffff';

interface PrefixSearch {
  appUid: string;
  /** A name, or a field in ASCII. Its index is `{appUid, field, _id}`. */
  field: string;
  prefix: string;
  /** The name of the index. */
  hint: string;
  collation?: CollationOptions;
}

/** Reads the rows of an application whose `field` begins with `prefix`, in the order of that field. */
export async function readPrefixPage<T extends Document & { _id: string }>(
  collection: Collection<T>,
  { appUid, field, prefix, hint, collation }: PrefixSearch,
  { limit, after }: PageRequest,
): Promise<Page<WithId<T>>> {
  const end = prefix + lastCharacter;
  const filter =
    after === null
      ? { appUid, [field]: { $gte: prefix, $lt: end } }
      : { $or: followers({ appUid, field, end }, after) };
  const rows = collection
    .find<WithId<T>>(filter as Filter<T>, { hint, ...(collation && { collation }) })
    .sort({ [field]: 1, _id: 1 })
    .limit(limit + 1);
  const { items, isCut } = await takeItems(rows, limit);
  const last = items.at(-1);
  const position = last && `${last._id} ${String(last[field])}`;
  return { items, lastUid: isCut ? (position ?? null) : null };
}

/** Returns the ranges of the index after a row: those of the same text, and those of later ones. */
function followers(
  { appUid, field, end }: { appUid: string; field: string; end: string },
  after: string,
): Document[] {
  const gap = after.indexOf(' ');
  const [uid, text] = [after.slice(0, gap), after.slice(gap + 1)];
  return [
    { appUid, [field]: text, _id: { $gt: uid } },
    { appUid, [field]: { $gt: text, $lt: end } },
  ];
}
