// The pages that a job enqueued, read from Temporal, because their requests can take any time to arrive.
import { defaultPayloadConverter } from '@temporalio/common';
import type { DeliverEventsInput } from '../../lib/temporal/messages.ts';
import type { TestService } from './service.ts';

interface EnqueuedPage {
  eventIds: string[];
  /** How long the workflow waited before this page. */
  afterMs: number;
}

/** Returns the pages that a workflow `runJob` enqueued, in order. */
export async function pagesOf(
  { temporal }: TestService,
  workflowId: string,
): Promise<EnqueuedPage[]> {
  const handle = temporal.client.workflow.getHandle(workflowId);
  const pages: EnqueuedPage[] = [];
  let seconds = 0;
  for (const event of (await handle.fetchHistory()).events ?? []) {
    const begun = event.workflowExecutionStartedEventAttributes?.firstWorkflowTaskBackoff;
    const slept = event.timerStartedEventAttributes?.startToFireTimeout;
    seconds += Number(begun?.seconds ?? 0) + Number(slept?.seconds ?? 0);
    const child = event.startChildWorkflowExecutionInitiatedEventAttributes;
    const [input] = child?.input?.payloads ?? [];
    if (!input) continue;
    const { events } = defaultPayloadConverter.fromPayload<DeliverEventsInput>(input);
    pages.push({ eventIds: events.map(({ eventId }) => eventId), afterMs: 1_000 * seconds });
    seconds = 0;
  }
  return pages;
}
