import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import {
  type CreateWebhookBody,
  type Delivery,
  type DeliveryState,
  deliveryStates,
  entities,
  type Entity,
  type EventName,
  eventNames,
  type HeraldClient,
  type SubscribedEventName,
  subscribedEventNames,
  type TestWebhookBody,
  type Webhook,
} from '../../../client-ts/src/index.ts';
import { limitOption, isResourceEvent, readSeconds } from '../arguments.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { readGivenFile } from '../files.ts';
import { type Columns, Session, take } from '../session.ts';
import { deliveryColumns, describeLastAttempt } from './events.ts';
import { addRecover } from './replays.ts';

const columns: Columns<Webhook> = {
  name: (webhook) => webhook.name,
  uid: (webhook) => webhook.uid,
  state: (webhook) => (webhook.active ? 'active' : describePause(webhook.disabledReason)),
  'failing since': (webhook) => webhook.failingSince,
  held: (webhook) => webhook.heldCount,
  sends: (webhook) => webhook.events ?? webhook.entities,
  // Last, so that nothing is padded to the longest URL.
  url: (webhook) => webhook.url,
};

export function describePause(reason: Webhook['disabledReason']): string {
  return reason === null ? 'paused' : `deactivated: ${reason}`;
}

const testWaitMs = 10_000;
const pollMs = 150;

interface NewWebhook {
  readonly entity?: Entity[];
  readonly event?: SubscribedEventName[];
  readonly tenant?: string[];
  readonly name?: string;
  readonly ordered?: true;
  readonly cloudEvents?: true;
  readonly secretFile?: string;
}

interface Rotation {
  readonly overlap?: number;
  readonly secretFile?: string;
}

export function addWebhooks(program: Command): void {
  const webhooks = program.command('webhooks').description('manage webhooks');
  webhooks
    .command('list')
    .description('list the webhooks')
    .action(async (_: object, command: Command) => {
      const session = new Session(command);
      session.list(await take(session.client.webhooks.list(), Infinity), columns);
    });
  webhooks
    .command('create')
    .description('register a webhook and show its secret once')
    .argument('<url>', 'a public https URL')
    .addOption(new Option('--entity <names...>', 'only these kinds of resources').choices(entities))
    .addOption(new Option('--event <names...>', 'only these events').choices(subscribedEventNames))
    .option('--tenant <ids...>', 'only events of these tenants')
    .option('--name <text>', 'name of the webhook')
    .option('--ordered', 'send the events of each resource in order')
    .option('--cloud-events', 'also send the headers of CloudEvents')
    .addOption(secretOption())
    .action(async (url: string, options: NewWebhook, command: Command) => {
      const body = bodyOf(url, options);
      const session = new Session(command);
      session.show(await session.client.webhooks.create(body));
    });
  addPauses(webhooks);
  addRecover(webhooks);
  webhooks
    .command('test')
    .description('send a test event and wait for the response')
    .argument('<webhookUid>')
    .addOption(new Option('--event <name>', 'send a sample of this event').choices(eventNames))
    .action(testWebhook);
  webhooks
    .command('rotate')
    .description('replace the secret and show the new one once')
    .argument('<webhookUid>')
    .addOption(
      new Option(
        '--overlap <seconds>',
        'how long the old secret also signs; 0 ends it now',
      ).argParser(readSeconds),
    )
    .addOption(secretOption())
    .action(async (uid: string, options: Rotation, command: Command) => {
      const session = new Session(command);
      const { overlap, secretFile } = options;
      const times = overlap === undefined ? {} : { overlapSeconds: overlap };
      const body = { ...times, ...secretIn(secretFile) };
      session.show(await session.client.webhooks.rotateSecret(uid, body));
    });
  addDeliveries(webhooks);
}

/** Not the secret itself, which other users of the machine could see among the arguments. */
const secretOption = () =>
  new Option('--secret-file <path>', 'use the secret in this file; - reads standard input');

function secretIn(path: string | undefined): { secret?: string } {
  return path === undefined ? {} : { secret: readGivenFile(path).toString().trim() };
}

function addPauses(webhooks: Command): void {
  for (const [name, active, text] of [
    ['pause', false, 'hold deliveries until the webhook is resumed'],
    ['resume', true, 'send held deliveries and continue'],
  ] as const)
    webhooks
      .command(name)
      .description(text)
      .argument('<webhookUid>')
      .action(async (uid: string, _: object, command: Command) => {
        const session = new Session(command);
        session.show(await session.client.webhooks.change(uid, { active }));
      });
}

function addDeliveries(webhooks: Command): void {
  webhooks
    .command('deliveries')
    .description('list the deliveries of a webhook, newest first')
    .argument('<webhookUid>')
    .addOption(new Option('--state <name>', 'only in this state').choices(deliveryStates))
    .addOption(limitOption())
    .action(
      async (uid: string, options: { state?: DeliveryState; limit: number }, command: Command) => {
        const session = new Session(command);
        const { state, limit } = options;
        const query = state === undefined ? {} : { state };
        const list = session.client.webhooks.deliveries(uid, query);
        session.list(await take(list, limit), deliveryColumns);
      },
    );
}

function bodyOf(
  url: string,
  { entity, event, tenant, name, ordered, cloudEvents, secretFile }: NewWebhook,
): CreateWebhookBody {
  return {
    url,
    ...subscriptionOf(entity, event),
    ...(tenant === undefined ? {} : { externalTenantIds: tenant }),
    ...(name === undefined ? {} : { name }),
    ...(ordered ? { ordering: 'resource' } : {}),
    ...(cloudEvents ? { cloudEvents } : {}),
    ...secretIn(secretFile),
  };
}

function subscriptionOf(
  entity?: Entity[],
  event?: SubscribedEventName[],
): Pick<CreateWebhookBody, 'kind' | 'entities' | 'events'> {
  if (event === undefined) return { entities: entity ?? [...entities] };
  const ofResources = event.filter(isResourceEvent);
  if (ofResources.length === 0 && entity === undefined)
    return { kind: 'operations', events: event };
  if (ofResources.length < event.length) {
    const notices = event.filter((name) => !isResourceEvent(name)).join(', ');
    const message = `${notices}: register a separate webhook for service notifications`;
    throw new CommandError(message, exitCodes.usage);
  }
  const ofEvents = ofResources.map((name) => name.split('.')[0] as Entity);
  return { entities: entity ?? [...new Set(ofEvents)], events: event };
}

async function testWebhook(uid: string, options: { event?: EventName }, command: Command) {
  const session = new Session(command);
  const delivery = await tryWebhook(session.client, uid, options);
  session.show({ ...delivery, lastAttempt: describeLastAttempt(delivery) });
  if (delivery.state !== 'delivered')
    throw new CommandError(
      `the test delivery is ${delivery.state}: ${describeLastAttempt(delivery)}`,
    );
}

/** Sends a test event and returns its delivery after the attempt. Throws `CommandError` after a timeout. */
export async function tryWebhook(
  client: HeraldClient,
  webhookUid: string,
  body: TestWebhookBody,
): Promise<Delivery> {
  const { eventId } = await client.webhooks.test(webhookUid, body);
  const endsAt = performance.now() + testWaitMs;
  for (;;) {
    const [delivery] = await take(client.events.deliveries(eventId), 1);
    if (delivery !== undefined && delivery.state !== 'pending') return delivery;
    if (performance.now() > endsAt)
      throw new CommandError(
        `the test ${eventId} was not attempted within ${testWaitMs / 1_000} s`,
      );
    await delay(pollMs);
  }
}
