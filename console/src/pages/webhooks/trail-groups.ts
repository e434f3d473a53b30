const groupSize = 20;

/** Returns the group of each webhook, in the order of the list: one call has the outcomes of a whole group. */
export function trailGroups(uids: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, readonly string[]>();
  for (let begin = 0; begin < uids.length; begin += groupSize) {
    const group = uids.slice(begin, begin + groupSize);
    for (const uid of group) groups.set(uid, group);
  }
  return groups;
}
