import type { Client } from '@temporalio/client';
import { eachOf } from '../concurrency/each-of.ts';
import { dispatchLog } from '../platform/logger.ts';
import type { OvertakenDelivery } from './messages.ts';
import { overtakenSignalName } from './names.ts';
import { grpcNotFound, tolerateStatus } from './tolerate-status.ts';

/**
 * Signals workflows, by their IDs, that a job took or cancelled deliveries that they wait to retry. Never rejects: a
 * workflow without the signal ends when its next retry is due.
 */
export type SignalOvertaken = (
  workflows: ReadonlyMap<string, readonly OvertakenDelivery[]>,
) => Promise<void>;

const signalsAtOnce = 10;
const timeoutMs = 5_000;

export function createOvertakenSignaller(client: Client): SignalOvertaken {
  return async (workflows) => {
    const signal = async ([workflowId, deliveries]: [string, readonly OvertakenDelivery[]]) => {
      const handle = client.workflow.getHandle(workflowId);
      // The workflow may have ended.
      await tolerateStatus(grpcNotFound, handle.signal(overtakenSignalName, deliveries));
    };
    try {
      await client.withDeadline(Date.now() + timeoutMs, () =>
        eachOf([...workflows], signalsAtOnce, signal),
      );
    } catch (error) {
      dispatchLog.warn({ err: error, count: workflows.size }, 'overtaken.signal_failed');
    }
  };
}
