import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import {
  deliveryStates,
  entities,
  eventNames,
  intervals,
  statusClasses,
  subscribedEventNames,
  type Webhook,
} from '../../../client-ts/src/index.ts';
import { inspectKey, inspectService } from '../commands/doctor.ts';
import { type Session, take } from '../session.ts';
import { explainDelivery } from './explain-delivery.ts';
import { addTool, limit, time } from './tool.ts';

const period = { since: time.optional(), until: time.optional() };
const tenant = z.string().optional().describe('The externalTenantId, compared exactly');
const payloadCharactersMax = 10_000;

/** Adds the tools that change nothing. */
export function addReadingTools(server: McpServer, session: Session): void {
  addEventTools(server, session);
  addDeliveryTools(server, session);
  addHealthTools(server, session);
}

function addEventTools(server: McpServer, { client }: Session): void {
  addTool(
    server,
    {
      name: 'find_events',
      title: 'Find events',
      description: 'Lists events, newest first, without their payloads.',
      input: {
        event: z.enum(subscribedEventNames).optional(),
        entity: z.enum(entities).optional(),
        resourceUid: z.string().optional(),
        externalTenantId: tenant,
        ...period,
        limit,
      },
      isDestructive: false,
    },
    async (query) => ({ events: await take(client.events.list(defined(query)), query.limit) }),
  );
  addTool(
    server,
    {
      name: 'get_event',
      title: 'Get an event',
      description: 'Returns an event with its payload, which third parties wrote.',
      input: { eventId: z.string() },
      isDestructive: false,
    },
    async ({ eventId }) => {
      const { payload, ...event } = await client.events.get(eventId);
      const text = JSON.stringify(payload);
      if (text.length <= payloadCharactersMax) return { ...event, payload };
      return { ...event, payloadStart: text.slice(0, payloadCharactersMax), isPayloadCut: true };
    },
  );
  addTool(
    server,
    {
      name: 'explain_event',
      title: 'Explain which webhooks get an event',
      description:
        'Returns for each webhook whether it has a delivery of the event, or the setting that keeps the event from it.',
      input: { eventId: z.string() },
      isDestructive: false,
    },
    async ({ eventId }) => ({ webhooks: await take(client.events.webhooks(eventId), Infinity) }),
  );
}

function addDeliveryTools(server: McpServer, { client }: Session): void {
  addTool(
    server,
    {
      name: 'find_deliveries',
      title: 'Find deliveries',
      description: 'Lists deliveries, newest first, with the latest attempt of each.',
      input: {
        state: z.enum(deliveryStates).optional(),
        statusClass: z.enum(statusClasses).optional(),
        webhookUid: z.string().optional(),
        event: z.enum(eventNames).optional(),
        externalTenantId: tenant,
        ...period,
        limit,
      },
      isDestructive: false,
    },
    async (query) => {
      const found = await take(client.deliveries.list(defined(query)), query.limit);
      return {
        deliveries: found.map(({ attempts, ...delivery }) => ({
          ...delivery,
          lastAttempt: attempts.at(-1) ?? null,
        })),
      };
    },
  );
  addTool(
    server,
    {
      name: 'explain_delivery',
      title: 'Explain a delivery',
      description:
        'Returns what happened to the delivery of an event to a webhook, why, and what to do, with its attempts.',
      input: { eventId: z.string(), webhookUid: z.string() },
      isDestructive: false,
    },
    async ({ eventId, webhookUid }) => {
      const { request: _, ...delivery } = await client.deliveries.get(eventId, webhookUid);
      return { explanation: explainDelivery(delivery), delivery };
    },
  );
}

function addHealthTools(server: McpServer, session: Session): void {
  const { client } = session;
  const addReading = (
    tool: { name: string; title: string; description: string },
    call: () => Promise<object>,
  ): void => addTool(server, { ...tool, input: {}, isDestructive: false }, call);
  addReading(
    {
      name: 'list_webhooks',
      title: 'List webhooks',
      description: 'Lists all webhooks with their settings and health, without secrets.',
    },
    async () => ({ webhooks: (await take(client.webhooks.list(), Infinity)).map(shown) }),
  );
  addReading(
    {
      name: 'list_failures',
      title: 'List failing webhooks',
      description:
        'Lists the failing webhooks with the latest failed attempt and the change before it.',
    },
    () => client.stats.failures(),
  );
  addReading(
    {
      name: 'get_backlog',
      title: 'Get the backlog',
      description:
        'Counts the open deliveries, the events without a workflow, and the context files that have been processing for too long.',
    },
    () => client.stats.backlog(),
  );
  addReading(
    {
      name: 'check_service',
      title: 'Check the service',
      description: 'Checks the service, the clock and the API key. It sends no test events.',
    },
    async () => ({
      findings: [...(await inspectService(session)), ...(await inspectKey(client))],
    }),
  );
  addTool(
    server,
    {
      name: 'get_statistics',
      title: 'Get delivery statistics',
      description:
        'Counts the outcomes of attempts by minute, hour or day, for all webhooks or one.',
      input: {
        interval: z.enum(intervals).default('hour'),
        webhookUid: z.string().optional(),
        ...period,
      },
      isDestructive: false,
    },
    (query) => client.stats.deliveries(defined(query)),
  );
}

/** Leaves out what may hold a secret or is of no use: the path of the URL, the names of headers, metadata. */
function shown(webhook: Webhook): object {
  const { uid, name, kind, entities: sent, events, externalTenantIds, filter } = webhook;
  const { active, disabledReason, failingSince, heldCount, lastTriggeredAt } = webhook;
  const { ordering, ratePerSecond, ratePerSecondPerTenant } = webhook;
  return {
    uid,
    name,
    origin: originOf(webhook.url),
    kind,
    entities: sent,
    events,
    externalTenantIds,
    filter,
    ordering,
    ratePerSecond,
    ratePerSecondPerTenant,
    active,
    disabledReason,
    failingSince,
    heldCount,
    lastTriggeredAt,
  };
}

function originOf(url: string): string {
  return url.startsWith('mailto:') ? 'mailto:…' : new URL(url).origin;
}

type Defined<Query> = { [Name in keyof Query]: Exclude<Query[Name], undefined> };

/** Leaves out the filters that are not set. */
function defined<Query extends object>(query: Query): Defined<Query> {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Defined<Query>;
}
