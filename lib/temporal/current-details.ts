// The Markdown that Temporal's UI shows under Current Details. It is no part of the history.
import type { DeliveryOutcome } from '../model/delivery-outcome.ts';
import { hasFailed } from './delivery-summary.ts';
import { describeResult } from './describe-attempt.ts';
import type { DeliverySummary, ShownDelivery } from './messages.ts';

const rowsMax = 100;
const hostCharactersMax = 48;

/** A delivery that has not ended, with what is known of its attempts. */
export type OpenDelivery = Pick<DeliveryOutcome, 'eventId' | 'webhookUid'> &
  Partial<Omit<DeliveryOutcome, 'state'>> & { state: DeliveryOutcome['state'] | 'delivering' };

/** Describes the deliveries of a workflow: counts, then a table in which failing ones come first. */
export function describeDeliveries(ended: DeliverySummary, open: readonly OpenDelivery[]): string {
  const retrying = open.filter(({ state }) => state === 'retrying');
  const others = open.filter(({ state }) => state !== 'retrying');
  const failed = ended.shown.filter(hasFailed);
  const rest = ended.shown.filter((delivery) => !hasFailed(delivery));
  const rows = [
    ...failed.map(rowOfEnded),
    ...retrying.map(rowOfOpen),
    ...others.map(rowOfOpen),
    ...rest.map(rowOfEnded),
  ].slice(0, rowsMax);
  const count = ended.deliveries + open.length;
  const lines = [describeCounts(ended, open), ''];
  if (rows.length > 0) lines.push(...header, ...rows);
  if (rows.length < count) lines.push('', `The table shows ${rows.length} of ${count} deliveries.`);
  return lines.join('\n');
}

/** A page of a job, and the workflow that delivers it. */
export interface DeliveredPage {
  workflowId: string;
  deliveries: number;
}

/** Describes a job by the pages that its run has taken, latest first. */
export function describePages(page: number, pages: readonly DeliveredPage[]): string {
  const total = pages.reduce((sum, { deliveries }) => sum + deliveries, 0);
  const lines = [`**Page ${page}: ${total} deliveries sent again in ${pages.length} workflows**`];
  if (pages.length === 0) return lines.join('\n');
  const rows = pages
    .slice(-rowsMax)
    .toReversed()
    .map(({ workflowId, deliveries }) => row([workflowId, String(deliveries)]));
  lines.push('', row(['Workflow', 'Deliveries']), row(['---', '---']), ...rows);
  return lines.join('\n');
}

const header = [
  '| Event | Webhook | Host | State | Attempt | Last result | Next attempt |',
  '| --- | --- | --- | --- | --- | --- | --- |',
];

function describeCounts(ended: DeliverySummary, open: readonly OpenDelivery[]): string {
  const openStates = new Map<string, number>();
  for (const { state } of open) openStates.set(state, (openStates.get(state) ?? 0) + 1);
  const counts: [count: number, state: string][] = [
    [ended.failedCount, 'failed'],
    ...[...openStates].map(([state, count]): [number, string] => [count, state]),
    [ended.delivered, 'delivered'],
    [ended.held, 'held'],
    [ended.waiting, 'waiting'],
    [ended.cancelled, 'cancelled'],
  ];
  const parts = counts.filter(([count]) => count > 0).map(([count, state]) => `${count} ${state}`);
  const total = ended.deliveries + open.length;
  return `**${total} ${total === 1 ? 'delivery' : 'deliveries'}: ${parts.join(', ')}**`;
}

function rowOfEnded({ eventId, webhookUid, host, state, attempts }: ShownDelivery): string {
  const last = attempts?.at(-1);
  const result = last === undefined ? '' : `${describeResult(last)} in ${last.ms} ms`;
  return row([eventId, webhookUid, shorten(host), state, String(last?.n ?? ''), result, '']);
}

function rowOfOpen(delivery: OpenDelivery): string {
  const {
    eventId,
    webhookUid,
    host,
    state,
    attemptCount = 0,
    attemptsMax,
    nextAttemptAt,
  } = delivery;
  const attempt = attemptsMax == null ? `${attemptCount}` : `${attemptCount} of ${attemptsMax}`;
  const result = describeResult(delivery);
  const next = nextAttemptAt ?? '';
  return row([
    eventId,
    webhookUid,
    shorten(host),
    state,
    attemptCount > 0 ? attempt : '',
    result,
    next,
  ]);
}

function shorten(host: string | null | undefined): string {
  if (host == null) return '';
  return host.length <= hostCharactersMax ? host : `${host.slice(0, hostCharactersMax - 1)}…`;
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}
