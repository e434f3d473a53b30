import type { Client } from '@temporalio/client';
import { forEachLimit } from '../concurrency/for-each-limit.ts';
import { dispatchLog } from '../platform/logger.ts';
import type { DeliveryPair } from './messages.ts';
import { takenByJobSignalName } from './names.ts';
import { grpcNotFound, tolerateStatus } from './tolerate-status.ts';

/**
 * Signals workflows, by their IDs, that a job took or cancelled deliveries that they wait to retry. Never rejects: a
 * workflow without the signal ends when its next retry is due.
 */
export type SignalTakenByJob = (
  workflows: ReadonlyMap<string, readonly DeliveryPair[]>,
) => Promise<void>;

const concurrentSignalsMax = 10;
const timeoutMs = 5_000;

export function createTakenByJobSignaller(client: Client): SignalTakenByJob {
  return async (workflows) => {
    const signal = async ([workflowId, deliveries]: [string, readonly DeliveryPair[]]) => {
      const handle = client.workflow.getHandle(workflowId);
      // The workflow may have ended.
      await tolerateStatus(grpcNotFound, handle.signal(takenByJobSignalName, deliveries));
    };
    try {
      await client.withDeadline(Date.now() + timeoutMs, () =>
        forEachLimit([...workflows], concurrentSignalsMax, signal),
      );
    } catch (error) {
      dispatchLog.warn({ err: error, count: workflows.size }, 'overtaken.signal_failed');
    }
  };
}
