// Renders the Markdown that Temporal's UI shows under Current Details. It is not part of the history.
import type { LaterReason, OpenOutcome } from '../model/delivery-outcome.ts';
import { hasFailed } from './delivery-summary.ts';
import { describeAttempt } from './describe-attempt.ts';
import type { DeliveryPair, DeliverySummary, ShownDelivery } from './messages.ts';

// Temporal accepts 20,000 bytes.
const rowsMax = 80;
const hostCharactersMax = 48;
const workflowIdCharactersMax = 80;

/** A delivery that has not ended. With `isFirst`, the workflow does not learn of attempts after the first. */
export type OpenDelivery =
  (DeliveryPair & { state: 'delivering' | 'waiting' }) | (OpenOutcome & { isFirst?: true });

const laterStates = {
  retry: 'retrying',
  rateLimited: 'rate-limited',
  throttled: 'throttled',
  inFlightElsewhere: 'in flight',
} as const satisfies Record<LaterReason, string>;

/** Describes the deliveries of a workflow: counts, then a list with failing ones first. */
export function describeDeliveries(ended: DeliverySummary, open: readonly OpenDelivery[]): string {
  const later = open.filter(({ state }) => state === 'later');
  const others = open.filter(({ state }) => state !== 'later');
  const failed = ended.shown.filter(hasFailed);
  const rest = ended.shown.filter((delivery) => !hasFailed(delivery));
  const rows = [
    ...failed.map(rowOfEnded),
    ...later.map(rowOfOpen),
    ...others.map(rowOfOpen),
    ...rest.map(rowOfEnded),
  ].slice(0, rowsMax);
  const count = ended.deliveries + open.length;
  const lines = [describeCounts(ended, open), ''];
  lines.push(...rows);
  if (rows.length < count) lines.push('', `The list shows ${rows.length} of ${count} deliveries.`);
  return lines.join('\n');
}

export interface DeliveredPage {
  workflowId: string;
  deliveries: number;
}

/** Describes a job by the pages of its current run, latest first. */
export function describePages(page: number, pages: readonly DeliveredPage[]): string {
  const total = pages.reduce((sum, { deliveries }) => sum + deliveries, 0);
  const lines = [`**Page ${page}: ${countDeliveries(total)} sent again**`];
  if (pages.length === 0) return lines.join('\n');
  const rows = pages
    .slice(-rowsMax)
    .toReversed()
    .map(({ workflowId, deliveries }) => `- ${countDeliveries(deliveries)}: ${workflowId}`);
  return [...lines, '', ...rows].join('\n');
}

function describeCounts(ended: DeliverySummary, open: readonly OpenDelivery[]): string {
  const openStates = new Map<string, number>();
  for (const state of open.map(shownState)) {
    openStates.set(state, (openStates.get(state) ?? 0) + 1);
  }
  const counts: [count: number, state: string][] = [
    [ended.failedCount, 'failed'],
    ...[...openStates].map(([state, count]): [number, string] => [count, state]),
    [ended.delivered, 'delivered'],
    [ended.held, 'held'],
    [ended.continued, 'continued'],
    [ended.cancelled, 'cancelled'],
  ];
  const parts = counts.filter(([count]) => count > 0).map(([count, state]) => `${count} ${state}`);
  return `**${countDeliveries(ended.deliveries + open.length)}: ${parts.join(', ')}**`;
}

function countDeliveries(count: number): string {
  return `${count} ${count === 1 ? 'delivery' : 'deliveries'}`;
}

function rowOfEnded(delivery: ShownDelivery): string {
  const { attempts = [], continuesIn } = delivery;
  if (continuesIn !== undefined) {
    return item(delivery, [`continues in ${shorten(continuesIn, workflowIdCharactersMax)}`]);
  }
  const host = delivery.host === undefined ? null : shorten(delivery.host, hostCharactersMax);
  const last = attempts.at(-1);
  if (last === undefined) return item(delivery, host === null ? [] : [`at ${host}`]);
  const { n: attemptCount, status = null, errorClass = null } = last;
  const attempt = { attemptCount, attemptsMax: null, host, status, errorClass };
  return item(delivery, [`${describeAttempt(attempt)} in ${last.ms} ms`]);
}

function rowOfOpen(delivery: OpenDelivery): string {
  const state = shownState(delivery);
  if (!('attemptCount' in delivery)) return item({ ...delivery, state }, []);
  const { attemptCount, isFirst = false } = delivery;
  const host = delivery.host === null ? null : shorten(delivery.host, hostCharactersMax);
  const attempt = describeAttempt({ ...delivery, host });
  const unattempted = host === null ? [] : [`at ${host}`];
  return item({ ...delivery, state }, [
    ...(attemptCount > 0 ? [isFirst ? `after ${attempt}` : attempt] : unattempted),
    ...(delivery.state === 'later'
      ? [`${isFirst ? 'retries from' : 'next at'} ${delivery.at}`]
      : []),
  ]);
}

function shownState(delivery: OpenDelivery): string {
  return delivery.state === 'later' ? laterStates[delivery.why] : delivery.state;
}

// A list item, because the UI's pane cuts off wide tables but wraps lists.
function item(
  { eventId, webhookUid, state }: DeliveryPair & { state: string },
  facts: readonly string[],
): string {
  return `- **${state}**: ${[...facts, `${eventId} to ${webhookUid}`].join('; ')}`;
}

function shorten(text: string, charactersMax: number): string {
  return text.length <= charactersMax ? text : `${text.slice(0, charactersMax - 1)}…`;
}
