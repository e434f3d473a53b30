import { calls, type HeraldCalls } from './generated/calls.ts';
import type { CallOptions, HeraldClientOptions } from './options.ts';
import { type Page, Pages } from './pages.ts';
import { EventStream } from './stream.ts';
import { type CallFacts, type Query, Transport } from './transport.ts';

type Facts = CallFacts & { readonly kind: string };

/** Calls the service with an API key. The key is in no property, and is never shown. */
export class HeraldClient implements HeraldCalls {
  declare readonly users: HeraldCalls['users'];
  declare readonly accounts: HeraldCalls['accounts'];
  declare readonly webhooks: HeraldCalls['webhooks'];
  declare readonly webhookReplays: HeraldCalls['webhookReplays'];
  declare readonly agents: HeraldCalls['agents'];
  declare readonly contexts: HeraldCalls['contexts'];
  declare readonly contextFiles: HeraldCalls['contextFiles'];
  declare readonly changes: HeraldCalls['changes'];
  declare readonly events: HeraldCalls['events'];
  declare readonly eventTypes: HeraldCalls['eventTypes'];
  declare readonly deliveries: HeraldCalls['deliveries'];
  declare readonly replays: HeraldCalls['replays'];
  declare readonly erasures: HeraldCalls['erasures'];
  declare readonly stats: HeraldCalls['stats'];
  declare readonly auditLog: HeraldCalls['auditLog'];
  declare readonly service: HeraldCalls['service'];

  constructor(options: HeraldClientOptions) {
    const transport = new Transport(options);
    const groups = Object.entries(calls).map(([group, methods]) => {
      const made = Object.entries(methods).map(([name, facts]) => [name, method(transport, facts)]);
      return [group, Object.fromEntries(made)] as const;
    });
    Object.assign(this, Object.fromEntries(groups));
  }
}

/** Makes the method of a call: its arguments are the uids of its path, its body or query, and options. */
function method(transport: Transport, facts: Facts) {
  const uidCount = [...facts.path.matchAll(/\{(?!appUid)\w+\}/g)].length;
  return (...given: readonly unknown[]) => {
    const uids = given.slice(0, uidCount);
    const [input, ownOptions] =
      facts.input === null ? [undefined, given[uidCount]] : given.slice(uidCount);
    const options = (ownOptions ?? {}) as CallOptions;
    if (facts.kind === 'stream')
      return new EventStream({ transport, facts, query: input as Query | undefined, options });
    if (facts.kind !== 'list')
      return transport.call(facts, { uids, [facts.input ?? 'query']: input }, options);
    return new Pages(async (cursor) => {
      const query = { ...(input as Query | undefined), ...(cursor === null ? {} : { cursor }) };
      return asPage(await transport.call(facts, { uids, query }, options));
    });
  };
}

/** Some lists are short and have no pages. */
function asPage(result: unknown): Page<unknown> {
  if (Array.isArray(result)) return { data: result, nextCursor: null };
  const { data, nextCursor } = result as Partial<Page<unknown>>;
  return { data: data ?? [], nextCursor: nextCursor ?? null };
}
