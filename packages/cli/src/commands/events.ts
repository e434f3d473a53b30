import type { Command } from 'commander';
import { Option } from 'commander';
import {
  type Delivery,
  entities,
  type Entity,
  type Event,
  type EventWithPayload,
  subscribedEventNames,
} from '../../../client-ts/src/index.ts';
import { limitOption, sinceOption, tenantOption, untilOption } from '../arguments.ts';
import {
  type Columns,
  endsWhenStopped,
  print,
  printFields,
  printTable,
  Session,
  take,
} from '../session.ts';

interface Filters {
  readonly event?: Event['event'];
  readonly entity?: Entity;
  readonly tenant?: string;
  readonly resource?: string;
  readonly since?: string;
  readonly until?: string;
}

const columns: Columns<Event> = {
  time: (event) => event.timestamp,
  event: (event) => event.event,
  resource: (event) => event.resourceUid,
  tenant: (event) => event.externalTenantId,
  eventId: (event) => event.eventId,
};

/** The columns of deliveries, for one webhook or all. */
export const deliveryColumns: Columns<Delivery> = {
  eventId: (delivery) => delivery.eventId,
  event: (delivery) => delivery.event,
  webhook: (delivery) => delivery.webhookUid,
  state: (delivery) => delivery.state,
  attempts: (delivery) => delivery.attemptCount,
  'last attempt': (delivery) => describeLastAttempt(delivery),
  'next attempt': (delivery) => delivery.nextAttemptAt,
};

export function describeLastAttempt({ attempts, cancelReason }: Delivery): string {
  const last = attempts.at(-1);
  if (last === undefined) return cancelReason ?? '-';
  const { status, errorClass, detail, ms } = last;
  return status === null
    ? `${errorClass}: ${detail ?? 'no response'}`
    : `${status} in ${ms.total} ms`;
}

export function addEvents(program: Command): void {
  const events = program
    .command('events')
    .description('list, show, explain, resend, skip and follow events');
  events
    .command('list')
    .description('list events, newest first')
    .addOption(new Option('--event <name>', 'only this event').choices(subscribedEventNames))
    .addOption(new Option('--entity <name>', 'only this kind of resource').choices(entities))
    .addOption(tenantOption())
    .option('--resource <uid>', 'only this resource')
    .addOption(sinceOption())
    .addOption(untilOption())
    .addOption(limitOption())
    .action(async (options: Filters & { limit: number }, command: Command) => {
      const session = new Session(command);
      const pageSize = Math.min(options.limit, 200);
      const query = { ...filtersOf(options), limit: pageSize };
      session.list(await take(session.client.events.list(query), options.limit), columns);
    });
  events
    .command('show')
    .description('show an event, its payload and its deliveries')
    .argument('<eventId>')
    .action(showEvent);
  events
    .command('resend')
    .description('send an event again now')
    .argument('<eventId>')
    .option('--webhook <uid...>', 'only to these webhooks')
    .action(async (eventId: string, options: { webhook?: string[] }, command: Command) => {
      const session = new Session(command);
      const body = options.webhook === undefined ? {} : { webhookUids: options.webhook };
      session.show(await session.client.events.resend(eventId, body));
    });
  events
    .command('skip')
    .description('give up one delivery, so that the next event of its resource is sent')
    .argument('<eventId>')
    .argument('<webhookUid>')
    .action(async (...[eventId, webhookUid, , command]: [string, string, object, Command]) => {
      const session = new Session(command);
      const delivery = await session.client.deliveries.skip(eventId, webhookUid);
      session.list([delivery], deliveryColumns);
    });
  events
    .command('why')
    .description('say why an event reached each webhook, or did not')
    .argument('<eventId>')
    .action(async (eventId: string, _: object, command: Command) => {
      const session = new Session(command);
      const webhooks = await take(session.client.events.webhooks(eventId), Infinity);
      session.list(webhooks, {
        webhook: ({ webhookUid }) => webhookUid,
        outcome: ({ outcome }) => outcome,
        'unmet condition': ({ condition }) => condition,
      });
    });
  events
    .command('tail')
    .description('follow events as they are committed; Ctrl-C stops it')
    .addOption(new Option('--event <name>', 'only this event').choices(subscribedEventNames))
    .addOption(new Option('--entity <name>', 'only this kind of resource').choices(entities))
    .addOption(tenantOption())
    .option('--resource <uid>', 'only this resource')
    .addOption(sinceOption())
    .action(tailEvents);
}

async function showEvent(eventId: string, _: object, command: Command): Promise<void> {
  const session = new Session(command);
  const event = await session.client.events.get(eventId);
  const deliveries = await take(session.client.events.deliveries(eventId), 100);
  if (session.isJson) return print(JSON.stringify({ event, deliveries }, null, 2));
  const { payload, ...facts } = event;
  printFields(facts);
  print(`\n${JSON.stringify(payload, null, 2)}\n`);
  printTable(deliveries, deliveryColumns);
}

async function tailEvents(options: Filters, command: Command): Promise<void> {
  const session = new Session(command);
  const query = filtersOf(options) as Parameters<typeof session.client.events.stream>[0];
  for await (const { event } of session.client.events.stream(query, streamOptions(session)))
    session.line(event, describe(event));
}

/** Reports the connection of a stream, and ends the stream with Ctrl-C. */
export function streamOptions(session: Session) {
  let isCut = false;
  return {
    signal: endsWhenStopped(),
    onOpen: () => {
      isCut = false;
      session.note('connected');
    },
    onCut: ({ detail }: { detail: string }) => {
      if (!isCut) session.note(`disconnected: ${detail}; reconnecting`);
      isCut = true;
    },
  };
}

function describe({ timestamp, event, resourceUid, externalTenantId, eventId }: EventWithPayload) {
  return `${timestamp}  ${event.padEnd(19)}  ${resourceUid}  ${externalTenantId}  ${eventId}`;
}

/** Translates options to the filters of the API. */
export function filtersOf({ tenant, resource, ...same }: Filters) {
  const { event, entity, since, until } = same;
  return Object.fromEntries(
    Object.entries({
      event,
      entity,
      since,
      until,
      externalTenantId: tenant,
      resourceUid: resource,
    }).filter(([, value]) => value !== undefined),
  );
}
