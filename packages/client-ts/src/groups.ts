// Makes the methods of a client from the table of its calls.
import type { CallOptions } from './options.ts';
import { type Page, Pages } from './pages.ts';
import { EventStream } from './stream.ts';
import type { CallFacts, Query, Transport } from './transport.ts';

export type CallTable = Readonly<Record<string, Readonly<Record<string, CallFacts>>>>;

/** Returns the groups of methods. Their types are generated together with the table. */
export function groupsOf(transport: Transport, table: CallTable): Record<string, object> {
  const groups = Object.entries(table).map(([group, methods]) => {
    const made = Object.entries(methods).map(([name, facts]) => [name, method(transport, facts)]);
    return [group, Object.fromEntries(made) as object] as const;
  });
  return Object.fromEntries(groups);
}

/** Returns the method of a call. Its arguments are the uids in the path, the body or query, and the options. */
function method(transport: Transport, facts: CallFacts) {
  const uidCount = [...facts.path.matchAll(/\{(?!appUid)\w+\}/g)].length;
  return (...given: readonly unknown[]) => {
    const uids = given.slice(0, uidCount);
    const [input, ownOptions] =
      facts.input === null ? [undefined, given[uidCount]] : given.slice(uidCount);
    const options = (ownOptions ?? {}) as CallOptions;
    if (facts.kind === 'stream')
      return new EventStream({ transport, facts, query: input as Query, options });
    if (facts.kind !== 'list')
      return transport.call(facts, { uids, [facts.input ?? 'query']: input }, options);
    return new Pages(async (cursor) => {
      const query = { ...(input as Query), ...(cursor === null ? {} : { cursor }) };
      return asPage(await transport.call(facts, { uids, query }, options));
    });
  };
}

/** Normalises a list. Some lists are short and have no pages. */
function asPage(result: unknown): Page<unknown> {
  if (Array.isArray(result)) return { data: result, nextCursor: null };
  const { data, nextCursor = null } = result as { data: unknown[]; nextCursor?: string | null };
  return { data, nextCursor };
}
