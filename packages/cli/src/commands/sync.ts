import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { entities, type Entity, type Sync } from '../../../client-ts/src/index.ts';
import { readCount } from '../arguments.ts';
import { Session } from '../session.ts';

interface NewSync {
  readonly entity?: Entity[];
  readonly tenant?: string[];
  readonly perSecond?: number;
  readonly dryRun?: true;
  readonly watch?: true;
}

const pollMs = 500;

export function addSync(program: Command): void {
  const sync = program.command('sync').description('send the present state to a webhook');
  sync
    .command('start', { isDefault: true })
    .description('send each existing agent, context and context file once (the default)')
    .argument('<webhookUid>')
    .addOption(new Option('--entity <names...>', 'only these entities').choices(entities))
    .option('--tenant <ids...>', 'only these tenants (externalTenantId)')
    .addOption(
      new Option('--per-second <count>', 'maximum deliveries per second').argParser(readCount),
    )
    .option('--dry-run', 'only count the deliveries')
    .option('--watch', 'wait until the sync is done')
    .action(start);
  sync
    .command('watch')
    .description('show the progress of a sync until it is done')
    .argument('<syncUid>')
    .action((uid: string, _: object, command: Command) => watch(new Session(command), uid));
  sync
    .command('cancel')
    .description('cancel a sync that runs or waits')
    .argument('<syncUid>')
    .action(async (uid: string, _: object, command: Command) => {
      const session = new Session(command);
      session.show(await session.client.syncs.cancel(uid));
    });
}

async function start(webhookUid: string, options: NewSync, command: Command): Promise<void> {
  const { entity, tenant, perSecond, dryRun } = options;
  const session = new Session(command);
  const made = await session.client.webhooks.sync(webhookUid, {
    ...(entity === undefined ? {} : { entities: entity }),
    ...(tenant === undefined ? {} : { externalTenantIds: tenant }),
    ...(perSecond === undefined ? {} : { perSecond }),
    ...(dryRun === undefined ? {} : { dryRun }),
  });
  if (options.watch && 'uid' in made) return watch(session, made.uid);
  session.show(made);
}

/** Prints a line whenever the sync has made progress. */
async function watch(session: Session, uid: string): Promise<void> {
  let latest = '';
  for (;;) {
    const sync = await session.client.syncs.get(uid);
    const text = describe(sync);
    if (text !== latest) session.line(sync, text);
    if (sync.finishedAt !== null) return;
    latest = text;
    await delay(pollMs);
  }
}

function describe({ state, counts }: Sync): string {
  const { agent, context, contextfile } = counts;
  return `${state}: ${agent} agents, ${context} contexts and ${contextfile} context files queued`;
}
