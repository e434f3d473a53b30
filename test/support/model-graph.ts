// The situations and edges of the model of a delivery, and ways along them.
import { after, type Situation, starts, type Step, steps } from './delivery-model.ts';

export interface Edge {
  name: string;
  step: Step;
  to: Situation;
}

export type Graph = ReadonlyMap<string, readonly Edge[]>;

export const nameOf = (situation: Situation): string => Object.values(situation).join(' ');

/** Returns the edges from each situation that can be reached. */
export function modelGraph(): Graph {
  const graph = new Map<string, Edge[]>();
  const queue = [...starts];
  for (const at of queue) {
    if (graph.has(nameOf(at))) continue;
    const edges = steps.flatMap((step) => {
      const to = after(at, step)?.situation;
      return to === undefined ? [] : [{ name: `${nameOf(at)}: ${step}`, step, to }];
    });
    graph.set(nameOf(at), edges);
    queue.push(...edges.map(({ to }) => to));
  }
  return graph;
}

/** Returns the shortest way from a situation to an edge that is left, with that edge at its end. */
export function wayTo(
  left: ReadonlySet<string>,
  graph: Graph,
  from: Situation,
): readonly Edge[] | null {
  const ways = new Map<string, Edge[]>([[nameOf(from), []]]);
  for (const [at, way] of ways) {
    for (const edge of graph.get(at) ?? []) {
      if (left.has(edge.name)) return [...way, edge];
      const to = nameOf(edge.to);
      if (!ways.has(to)) ways.set(to, [...way, edge]);
    }
  }
  return null;
}
