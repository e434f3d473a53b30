import { proxySinks } from '@temporalio/workflow';
import type { TraceSinks } from '../lib/temporal/messages.ts';

const { traces } = proxySinks<TraceSinks>();

/** Runs a workflow, then reports its end. The report is not a command, so histories are the same without it. */
export async function inTrace<T>(traceparent: string, work: () => Promise<T>): Promise<T> {
  let isFailed = true;
  try {
    const result = await work();
    isFailed = false;
    return result;
  } finally {
    traces.ended(traceparent, isFailed);
  }
}
