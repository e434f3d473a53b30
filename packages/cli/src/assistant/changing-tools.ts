import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';
import { entities, recoverableStates } from '../../../client-ts/src/index.ts';
import type { Session } from '../session.ts';
import { addTool, listOf, time, yesOrNo } from './tool.ts';

const dryRun = yesOrNo.default(true).describe('If true, it only counts. Count first.');

/** Adds the tools that send something again, or give it up. */
export function addChangingTools(server: McpServer, { client }: Session): void {
  addTool(
    server,
    {
      name: 'resend_event',
      title: 'Resend an event (destructive)',
      description:
        'Destructive: sends an event again now, to all its webhooks or to those named. Receivers may act twice.',
      input: { eventId: z.string(), webhookUids: listOf(z.string()).optional() },
      isDestructive: true,
    },
    ({ eventId, webhookUids }) =>
      client.events.resend(eventId, webhookUids === undefined ? {} : { webhookUids }),
  );
  addTool(
    server,
    {
      name: 'recover_webhook',
      title: 'Recover the deliveries of a webhook (destructive)',
      description:
        'Destructive: sends the exhausted, blocked and expired deliveries of a webhook again, since a time. The state retrying adds those that wait for a retry.',
      input: {
        webhookUid: z.string(),
        since: time,
        states: listOf(z.enum(recoverableStates)).optional(),
        dryRun,
      },
      isDestructive: true,
    },
    ({ webhookUid, states, ...body }) =>
      client.webhooks.recover(webhookUid, { ...body, ...(states === undefined ? {} : { states }) }),
  );
  addTool(
    server,
    {
      name: 'sync_webhook',
      title: 'Send the present state to a webhook (destructive)',
      description:
        'Destructive: sends each existing agent, context and context file to a webhook once.',
      input: {
        webhookUid: z.string(),
        entities: listOf(z.enum(entities)).optional(),
        dryRun,
      },
      isDestructive: true,
    },
    ({ webhookUid, entities: chosen, ...body }) =>
      client.webhooks.sync(webhookUid, {
        ...body,
        ...(chosen === undefined ? {} : { entities: chosen }),
      }),
  );
  addTool(
    server,
    {
      name: 'skip_delivery',
      title: 'Skip a delivery (destructive)',
      description:
        'Destructive: gives up the delivery of an event to a webhook, so that the next event of its resource is sent.',
      input: { eventId: z.string(), webhookUid: z.string() },
      isDestructive: true,
    },
    ({ eventId, webhookUid }) => client.deliveries.skip(eventId, webhookUid),
  );
}
