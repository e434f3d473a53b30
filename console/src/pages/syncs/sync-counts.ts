import type { SyncCounts } from '@agent-herald/client';

/** Returns the counts in words, such as "2 agents, 1 context and 0 context files". */
export function describeCounts({ agent, context, contextfile }: SyncCounts): string {
  const counted = (count: number, noun: string): string =>
    `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
  return `${counted(agent, 'agent')}, ${counted(context, 'context')} and ${counted(contextfile, 'context file')}`;
}
