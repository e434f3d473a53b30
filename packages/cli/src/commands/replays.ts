import { setTimeout as delay } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import {
  type CreateReplayBody,
  type HeraldClient,
  type RecoverableState,
  recoverableStates,
  type Replay,
  type ReplayableState,
  replayableStates,
  type SendableCancelReason,
  sendableCancelReasons,
  type SubscribedEventName,
  subscribedEventNames,
} from '../../../client-ts/src/index.ts';
import { readCount, sinceOption, tenantOption, untilOption, webhookOption } from '../arguments.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { Session } from '../session.ts';

type StateOfAll = NonNullable<CreateReplayBody['states']>[number];

interface NewReplay {
  readonly webhook?: string;
  readonly since: string;
  readonly until?: string;
  readonly event?: SubscribedEventName[];
  readonly state?: ReplayableState[];
  readonly cancelReason?: SendableCancelReason[];
  readonly tenant?: string;
  readonly perSecond?: number;
  readonly dryRun?: true;
  readonly watch?: true;
}

interface NewRecovery extends Pick<
  NewReplay,
  'since' | 'until' | 'perSecond' | 'dryRun' | 'watch'
> {
  readonly state?: RecoverableState[];
}

interface OfWebhook {
  readonly webhook?: string;
}

const recoveredHelp =
  'deliveries in these states (default: exhausted, blocked, cancelled); retrying sends waiting retries now';
const stateHelp =
  'deliveries in these states (default: exhausted, blocked, cancelled); delivered and never_attempted need --webhook';
const reasonHelp =
  'of the cancelled deliveries, those with these reasons (default: expired, abandoned)';
const pollMs = 500;

const perSecondOption = () =>
  new Option('--per-second <count>', 'maximum deliveries per second').argParser(readCount);

export function addReplays(program: Command): void {
  const replays = program.command('replays').description('send the events of a period again');
  replays
    .command('create')
    .description('send the events of a period again; by default, failed and lost deliveries')
    .addOption(webhookOption())
    .addOption(sinceOption().makeOptionMandatory())
    .addOption(untilOption())
    .addOption(new Option('--event <names...>', 'only these events').choices(subscribedEventNames))
    .addOption(new Option('--state <names...>', stateHelp).choices(replayableStates))
    .addOption(new Option('--cancel-reason <names...>', reasonHelp).choices(sendableCancelReasons))
    .addOption(tenantOption())
    .addOption(perSecondOption())
    .option('--dry-run', 'only count the deliveries')
    .option('--watch', 'wait until the replay is done')
    .action(createReplay);
  replays
    .command('watch')
    .description('show the progress of a replay until it is done')
    .argument('<replayUid>')
    .addOption(webhookOption())
    .action(async (uid: string, options: OfWebhook, command: Command) => {
      await watch(new Session(command), uid, options.webhook);
    });
  replays
    .command('cancel')
    .description('cancel a replay that runs or waits')
    .argument('<replayUid>')
    .addOption(webhookOption())
    .action(async (uid: string, { webhook }: OfWebhook, command: Command) => {
      const session = new Session(command);
      const { replays: ofApp, webhookReplays } = session.client;
      session.show(
        await (webhook === undefined ? ofApp.cancel(uid) : webhookReplays.cancel(webhook, uid)),
      );
    });
}

/** Adds `webhooks recover`, which starts a replay. */
export function addRecover(webhooks: Command): void {
  webhooks
    .command('recover')
    .description('send the lost deliveries of a webhook and, on request, those that wait')
    .argument('<webhookUid>')
    .addOption(sinceOption().makeOptionMandatory())
    .addOption(untilOption())
    .addOption(new Option('--state <names...>', recoveredHelp).choices(recoverableStates))
    .addOption(perSecondOption())
    .option('--dry-run', 'only count the deliveries')
    .option('--watch', 'wait until the deliveries are queued')
    .action(async (uid: string, options: NewRecovery, command: Command) => {
      const { state, watch: isWatched, ...body } = options;
      const session = new Session(command);
      const states = state === undefined ? {} : { states: state };
      const made = await session.client.webhooks.recover(uid, { ...body, ...states });
      if (isWatched && 'uid' in made) return watch(session, made.uid, uid);
      session.show(made);
    });
}

async function createReplay(options: NewReplay, command: Command): Promise<void> {
  const { webhook, since, until, event, state, cancelReason, tenant, perSecond, dryRun } = options;
  const body = {
    since,
    ...(until === undefined ? {} : { until }),
    ...(event === undefined ? {} : { events: event }),
    ...(cancelReason === undefined ? {} : { cancelReasons: cancelReason }),
    ...(tenant === undefined ? {} : { externalTenantId: tenant }),
    ...(perSecond === undefined ? {} : { perSecond }),
    ...(dryRun === undefined ? {} : { dryRun }),
  };
  const ofAll = webhook === undefined && state !== undefined ? { states: statesOfAll(state) } : {};
  const ofWebhook = state === undefined ? {} : { states: state };
  const session = new Session(command);
  const { replays, webhookReplays } = session.client;
  const made = await (webhook === undefined
    ? replays.create({ ...body, ...ofAll })
    : webhookReplays.create(webhook, { ...body, ...ofWebhook }));
  if (options.watch && 'uid' in made) return watch(session, made.uid, webhook);
  session.show(made);
}

/** Throws for a state that only a replay to one webhook accepts. */
function statesOfAll(states: readonly ReplayableState[]): StateOfAll[] {
  const ofAll = states.filter((state) => state !== 'delivered' && state !== 'never_attempted');
  if (ofAll.length === states.length) return ofAll;
  const refused = states.filter((state) => !ofAll.some((each) => each === state));
  throw new CommandError(`${refused.join(', ')}: requires --webhook`, exitCodes.usage);
}

/** Prints a line whenever the replay has made progress. */
async function watch(session: Session, uid: string, webhookUid?: string): Promise<void> {
  let latest = '';
  for (;;) {
    const replay = await read(session.client, uid, webhookUid);
    const text = `${replay.state}: ${replay.releasedCount} deliveries queued; ${replay.webhooksDone} of ${replay.webhookCount} webhooks done`;
    if (text !== latest) session.line(replay, text);
    if (replay.finishedAt !== null) return;
    latest = text;
    await delay(pollMs);
  }
}

function read(client: HeraldClient, uid: string, webhookUid?: string): Promise<Replay> {
  return webhookUid === undefined
    ? client.replays.get(uid)
    : client.webhookReplays.get(webhookUid, uid);
}
