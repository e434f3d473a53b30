import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { DeliverEventsInput, DeliverInOrderInput } from './messages.ts';
import type { RunJobInput } from './job-messages.ts';
import { deliverEventsWorkflow, deliverInOrderWorkflow, runJobWorkflow } from './names.ts';

type StartInput = Parameters<NonNullable<WorkflowClientInterceptor['startWithDetails']>>[0];

/** Adds a link to its console page to each workflow; Temporal's UI shows it above Current Details. */
export function linkingToConsole(publicUrl: string): WorkflowClientInterceptor {
  const linked = <T extends Pick<StartInput, 'workflowType' | 'options'>>(input: T): T => {
    const page = consolePage(input.workflowType, input.options.args[0]);
    if (page === null) return input;
    const url = `${publicUrl}/console/apps/${page.path}`;
    const staticDetails = `[${page.title} in the console](${url})`;
    return { ...input, options: { ...input.options, staticDetails } };
  };
  return {
    startWithDetails: (input, next) => next(linked(input)),
    signalWithStart: (input, next) => next(linked(input)),
  };
}

interface ConsolePage {
  title: string;
  path: string;
}

/** Returns the most useful console page for a workflow with this input; null for other workflows. */
function consolePage(workflowType: string, input: unknown): ConsolePage | null {
  if (workflowType === deliverEventsWorkflow) return pageOfEvents(input as DeliverEventsInput);
  if (workflowType === deliverInOrderWorkflow) {
    const { appUid, webhookUid } = input as DeliverInOrderInput;
    return { title: 'Webhook', path: `${appUid}/webhooks/${webhookUid}` };
  }
  return workflowType === runJobWorkflow ? pageOfJob(input as RunJobInput) : null;
}

function pageOfEvents({ events }: DeliverEventsInput): ConsolePage | null {
  const [first, ...others] = events;
  if (first === undefined || others.some(({ appUid }) => appUid !== first.appUid)) return null;
  const { appUid, eventId } = first;
  return others.length === 0
    ? { title: 'Event', path: `${appUid}/events/${eventId}` }
    : { title: 'Deliveries of the application', path: `${appUid}/deliveries` };
}

function pageOfJob({ appUid, jobUid, kind }: RunJobInput): ConsolePage | null {
  if (appUid === undefined) return null;
  if (kind === 'replay') return { title: 'Replay', path: `${appUid}/replays/${jobUid}` };
  if (kind === 'sync') return { title: 'Sync', path: `${appUid}/syncs/${jobUid}` };
  return { title: 'Application', path: appUid };
}
