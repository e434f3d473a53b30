// Filters are part of the page's address, so that a link shows the same list.

/** Returns a function that picks the named texts, and nothing else, from the query of an address. */
export function textsOf<const Names extends readonly string[]>(names: Names) {
  return (search: Record<string, unknown>): { [Name in Names[number]]?: string } => {
    const found = names.flatMap((name) => {
      const value = search[name];
      return typeof value === 'string' || typeof value === 'number'
        ? [[name, String(value)] as const]
        : [];
    });
    return Object.fromEntries(found.filter(([, text]) => text !== '')) as {
      [Name in Names[number]]?: string;
    };
  };
}
