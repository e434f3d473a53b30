import { type Command, Argument } from 'commander';
import {
  type HeraldClient,
  type ResourceEventName,
  resourceEventNames,
} from '../../../client-ts/src/index.ts';
import { Session } from '../session.ts';

interface Made {
  readonly uid: string;
  readonly update: () => Promise<unknown>;
  readonly remove: () => Promise<unknown>;
}

const name = 'Made by agent-herald trigger';
const help = `
The change is real: all webhooks that subscribe to it receive it. The command then removes what it created, so a created
event is followed by a deleted one.

Example:
  $ agent-herald trigger agent.created
`;

export function addTrigger(program: Command): void {
  program
    .command('trigger')
    .description('trigger an event: make a real change and undo it')
    .addArgument(new Argument('<event>').choices(resourceEventNames))
    .option('--tenant <id>', 'tenant of the change (externalTenantId)', 'agent-herald-trigger')
    .addHelpText('after', help)
    .action(trigger);
}

async function trigger(
  event: ResourceEventName,
  { tenant }: { tenant: string },
  command: Command,
): Promise<void> {
  const session = new Session(command);
  const [entity, kind] = event.split('.');
  const made = await makers[entity as keyof typeof makers](session.client, tenant);
  try {
    if (kind === 'updated') await made.update();
  } finally {
    await made.remove();
  }
  const events = [`${entity}.created`, ...(kind === 'updated' ? [event] : []), `${entity}.deleted`];
  session.show({ resourceUid: made.uid, externalTenantId: tenant, events });
}

const makers = { agent: makeAgent, context: makeContext, contextfile: makeContextFile };

async function makeAgent({ agents }: HeraldClient, externalTenantId: string): Promise<Made> {
  const { uid } = await agents.create({ agentName: name, externalTenantId });
  return {
    uid,
    update: () => agents.change(uid, { live: true }),
    remove: () => agents.delete(uid),
  };
}

async function makeContext({ contexts }: HeraldClient, externalTenantId: string): Promise<Made> {
  const { uid } = await contexts.create({ contextName: name, externalTenantId });
  return {
    uid,
    update: () => contexts.change(uid, { description: 'Changed' }),
    remove: () => contexts.delete(uid),
  };
}

/** The file gets its own context, which is removed with it. */
async function makeContextFile(client: HeraldClient, externalTenantId: string): Promise<Made> {
  const context = await makeContext(client, externalTenantId);
  const file = { fileName: 'trigger.txt', contentType: 'text/plain', sizeBytes: 1 };
  try {
    const { uid } = await client.contextFiles.create(context.uid, file);
    const ready = { processingStatus: 'ready' } as const;
    return {
      uid,
      update: () => client.contextFiles.change(context.uid, uid, ready),
      remove: () => context.remove(),
    };
  } catch (error) {
    await context.remove();
    throw error;
  }
}
