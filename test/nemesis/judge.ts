// Compares what callers were told, what receivers got and what is stored, by the rules of rules/.
import type { History, Verdict, Violation } from './history.ts';
import { duplicates, duplicatesOf } from './rules/duplicates.ts';
import { ended } from './rules/ended.ts';
import { factsOf, type Rule } from './rules/facts.ts';
import { isolation } from './rules/isolation.ts';
import { latenciesOf, latency } from './rules/latency.ts';
import { order } from './rules/order.ts';
import { rate } from './rules/rate.ts';
import { recipients } from './rules/recipients.ts';
import { recorded } from './rules/recorded.ts';
import { revocations } from './rules/revocations.ts';
import { schedule } from './rules/schedule.ts';
import { signatures } from './rules/signatures.ts';
import { silence } from './rules/silence.ts';
import { countBy } from './rules/stored.ts';
import { timeline } from './rules/timeline.ts';

export const rules = {
  recorded,
  recipients,
  ended,
  signatures,
  order,
  silence,
  duplicates,
  schedule,
  rate,
  revocations,
  isolation,
  latency,
} satisfies Record<string, Rule>;

/** Rules that a slow machine may break. */
const timedRules: readonly string[] = ['schedule', 'rate', 'latency'];

export const isTimed = ({ rule }: Pick<Violation, 'rule'>): boolean => timedRules.includes(rule);

export function judge(history: History): Verdict {
  const facts = factsOf(history);
  const violations = Object.entries<Rule>(rules).flatMap(([rule, find]) =>
    find(facts).map((each) => ({ rule, what: each.what, history: timeline(facts, each) })),
  );
  const causes = duplicatesOf(facts).flatMap(({ cause }) => cause ?? []);
  return {
    violations,
    deliveries: [...facts.pairs.values()].filter(({ requests }) => requests.length > 0).length,
    requests: history.requests.length,
    duplicates: countBy(causes, (cause) => cause),
    ...latenciesOf(facts),
  };
}
