// What Temporal's UI shows about a workflow, read with the calls that the UI makes.
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { Payload } from '@temporalio/common';
import type { History } from '@temporalio/common/lib/proto-utils.js';

/** Returns the Markdown under Current Details. */
export async function currentDetails(client: Client, workflowId: string): Promise<string> {
  const handle = client.workflow.getHandle(workflowId);
  const metadata = await handle.query<{ currentDetails?: string }>('__temporal_workflow_metadata');
  return metadata.currentDetails ?? '';
}

/** Returns the lines of the list under Current Details, one per delivery. */
export async function detailLines(client: Client, workflowId: string): Promise<string[]> {
  const lines = (await currentDetails(client, workflowId)).split('\n');
  return lines.filter((line) => line.startsWith('- '));
}

/** A row of the history: its name, its summary, the failure, and the result. */
export interface ShownActivity {
  name: string;
  summary: string | null;
  result: unknown;
  failure: string | null;
}

/** Returns the ended activities of a workflow, including local ones. */
export async function endedActivities(
  client: Client,
  workflowId: string,
): Promise<ShownActivity[]> {
  const history = await client.workflow.getHandle(workflowId).fetchHistory();
  const scheduled = new Map<string, { name: string; summary: string | null }>();
  const ended: ShownActivity[] = [];
  for (const event of history.events ?? []) {
    const summary = decode(event.userMetadata?.summary) as string | null;
    const marker = event.markerRecordedEventAttributes;
    const start = event.activityTaskScheduledEventAttributes;
    if (start) {
      scheduled.set(String(event.eventId), { name: start.activityType?.name ?? '', summary });
    }
    if (marker) {
      const [result] = marker.details?.['result']?.payloads ?? [];
      ended.push({ name: 'attemptFirst', summary, result: decode(result), failure: null });
    }
    const done = event.activityTaskCompletedEventAttributes;
    const failed = event.activityTaskFailedEventAttributes;
    const end = done ?? failed;
    if (!end) continue;
    const begun = scheduled.get(String(end.scheduledEventId));
    if (begun === undefined) continue;
    const failure = failed?.failure?.message ?? null;
    ended.push({ ...begun, result: decode(done?.result?.payloads?.[0]), failure });
  }
  return ended;
}

function decode(payload: Payload | null | undefined): unknown {
  return payload ? defaultPayloadConverter.fromPayload(payload) : null;
}

/** Returns the stack traces of all failures in a history, including causes. */
export function stackTraces(history: History): string[] {
  const found: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, child] of Object.entries(value)) {
      if (key === 'stackTrace' && typeof child === 'string' && child !== '') found.push(child);
      else walk(child);
    }
  };
  walk(history.events);
  return found;
}
