import type { Command } from 'commander';
import {
  HeraldClient,
  InsufficientScopeError,
  NotFoundError,
  type Webhook,
} from '../../../client-ts/src/index.ts';
import { CommandError, exitCodeOf } from '../exit-codes.ts';
import { fetchByRoute, routeTo } from '../proxy.ts';
import { Session, take } from '../session.ts';
import { describeLastAttempt } from './events.ts';
import { describePause, tryWebhook } from './webhooks.ts';

interface Finding {
  readonly check: string;
  readonly result: 'well' | 'note' | 'fault';
  readonly detail: string;
}

/** As shown in tables. JSON keeps the old words, because scripts depend on them. */
const shownResults = { well: 'ok', note: 'note', fault: 'failed' } as const;

const skewNoteMs = 5_000;
const skewFaultMs = 300_000;
const testConcurrency = 8;
const help = `
Sends a test event to each active webhook; receivers acknowledge it and do nothing else. --no-webhooks sends none.
Exits with 1 if a check failed, and with another code if the service cannot be checked at all.
`;

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check the service, the clock, the API key and each webhook')
    .option('--no-webhooks', 'send no test events')
    .addHelpText('after', help)
    .action(async (options: { webhooks: boolean }, command: Command) => {
      const session = new Session(command);
      const findings = [
        ...(await inspectService(session)),
        ...(await inspectKey(session.client)),
        ...(options.webhooks ? await inspectWebhooks(session) : []),
      ];
      session.list(findings, {
        check: ({ check }) => check,
        result: ({ result }) => shownResults[result],
        detail: ({ detail }) => detail,
      });
      const { length: failed } = findings.filter(({ result }) => result === 'fault');
      if (failed > 0)
        throw new CommandError(`${failed} ${failed === 1 ? 'check' : 'checks'} failed`);
    });
}

/** Checks the service and the clock. */
export async function inspectService({ profile }: Session): Promise<Finding[]> {
  let date: string | null = null;
  const open = new HeraldClient({
    url: profile.url,
    fetch: async (address, init) => {
      const response = await fetchByRoute(address, init);
      date = response.headers.get('date');
      return response;
    },
  });
  const startedAt = performance.now();
  const { version } = await open.service.health();
  const tookMs = Math.round(performance.now() - startedAt);
  const clock = inspectClock(date);
  const { status, parts } = await open.service.readiness();
  const wrong = Object.entries(parts).filter(([, state]) => state !== 'ok');
  const faults = wrong.map(([part, state]) => `${part}: ${state}`).join('; ');
  return [
    {
      check: 'service',
      result: 'well',
      detail: `version ${version} at ${profile.url}, ${tookMs} ms`,
    },
    { check: 'proxy', result: 'well', detail: routeTo(profile.url).description },
    { check: 'ready', result: status === 'ready' ? 'well' : 'fault', detail: faults || status },
    clock,
  ];
}

/** The service reports its time in whole seconds. */
function inspectClock(date: string | null): Finding {
  const check = 'clock';
  if (date === null) return { check, result: 'note', detail: 'the service sent no time' };
  const skewMs = Date.now() - Date.parse(date) - 500;
  const seconds = (Math.abs(skewMs) / 1_000).toFixed(0);
  const detail = `${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the service`;
  if (Math.abs(skewMs) < skewNoteMs) return { check, result: 'well', detail };
  const isFault = Math.abs(skewMs) >= skewFaultMs;
  return { check, result: isFault ? 'fault' : 'note', detail: `${detail}; signatures allow 300 s` };
}

/** Returns a call for each scope that changes nothing: it reads, or names a resource that does not exist. */
function probes(client: HeraldClient): Readonly<Record<string, () => Promise<unknown>>> {
  const none = 'none';
  return {
    'users:auth': () => client.users.verifyToken({ authToken: none }),
    'webhooks:read': () => client.webhooks.list().page(),
    'webhooks:write': () => client.webhooks.change(none, { active: true }),
    'events:read': () => client.events.list({ limit: 1 }).page(),
    'events:write': () => client.replays.cancel(none),
    'resources:read': () => client.agents.list({ limit: 1 }).page(),
    'resources:write': () => client.agents.delete(none),
    admin: () => client.auditLog.list({ limit: 1 }).page(),
  };
}

/** Returns which scopes the key has. */
export async function inspectKey(client: HeraldClient): Promise<Finding[]> {
  const scopes: string[] = [];
  const missing: string[] = [];
  for (const [scope, probe] of Object.entries(probes(client))) {
    const isAllowed = await probe().then(
      () => true,
      (error: unknown) => {
        if (error instanceof InsufficientScopeError) return false;
        if (error instanceof NotFoundError) return true;
        throw error;
      },
    );
    (isAllowed ? scopes : missing).push(scope);
  }
  return [
    {
      check: 'key',
      result: scopes.length > 0 ? 'well' : 'fault',
      detail: scopes.length > 0 ? `scopes: ${scopes.join(', ')}` : 'no scopes',
    },
    ...(missing.length === 0
      ? []
      : [
          {
            check: 'key',
            result: 'note',
            detail: `scopes it lacks: ${missing.join(', ')}`,
          } as const,
        ]),
  ];
}

async function inspectWebhooks(session: Session): Promise<Finding[]> {
  const { client } = session;
  let webhooks: Webhook[];
  try {
    webhooks = await take(client.webhooks.list(), Infinity);
  } catch (error) {
    if (!(error instanceof InsufficientScopeError)) throw error;
    return [{ check: 'webhooks', result: 'note', detail: 'the key lacks the scope webhooks:read' }];
  }
  if (webhooks.length === 0)
    return [{ check: 'webhooks', result: 'note', detail: 'there are no webhooks' }];
  announce(session, webhooks.filter(isTested));
  const findings: Finding[] = [];
  for (let start = 0; start < webhooks.length; start += testConcurrency) {
    const some = webhooks.slice(start, start + testConcurrency);
    findings.push(...(await Promise.all(some.map((webhook) => inspectWebhook(client, webhook)))));
  }
  return findings;
}

const namedMax = 3;

function isTested({ active, kind }: Webhook): boolean {
  return active && kind === 'resources';
}

/** Says what is sent, before it is sent. */
function announce(session: Session, webhooks: readonly Webhook[]): void {
  if (webhooks.length === 0) return;
  const named = webhooks.slice(0, namedMax).map(({ name, url }) => name ?? url);
  const left = webhooks.length - named.length;
  const rest = left === 0 ? '' : ` and ${left} more`;
  const events = webhooks.length === 1 ? 'a test event' : `${webhooks.length} test events`;
  session.note(`sending ${events} to ${named.join(', ')}${rest}; --no-webhooks sends none`);
}

async function inspectWebhook(client: HeraldClient, webhook: Webhook): Promise<Finding> {
  const check = `webhook ${webhook.uid}`;
  const { url, active, disabledReason, kind } = webhook;
  if (!active)
    return { check, result: 'note', detail: `${url} is ${describePause(disabledReason)}` };
  if (kind === 'operations')
    return { check, result: 'note', detail: `${url} receives notices; not tested` };
  try {
    const delivery = await tryWebhook(client, webhook.uid, {});
    const result = delivery.state === 'delivered' ? 'well' : 'fault';
    return { check, result, detail: `${url}: ${describeLastAttempt(delivery)}` };
  } catch (error) {
    if (error instanceof InsufficientScopeError)
      return { check, result: 'note', detail: `${url} was not tested: the key lacks permission` };
    if (!(error instanceof CommandError) && exitCodeOf(error) !== 1) throw error;
    return { check, result: 'fault', detail: `${url}: ${(error as Error).message}` };
  }
}
