import { type Command, Option } from 'commander';
import { keysOf } from '../../../receiver-ts/src/secrets.ts';
import {
  type StreamedEvent,
  type SubscribedEventName,
  subscribedEventNames,
} from '../../../client-ts/src/index.ts';
import { readUrl, sinceOption, tenantOption } from '../arguments.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { readSettings, settingsFile, writeSettings } from '../profiles.ts';
import { fetchByRoute, routeTo } from '../proxy.ts';
import { print, Session } from '../session.ts';
import { newSecret, signedHeaders } from '../signing.ts';
import { streamOptions } from './events.ts';

interface ListenOptions {
  readonly forwardTo: string;
  readonly event?: SubscribedEventName[];
  readonly tenant?: string;
  readonly since?: string;
  readonly secret?: string;
  readonly printJson?: true;
}

interface Forwarded {
  readonly eventId: string;
  readonly event: string;
  readonly resourceUid: string;
  /** Null if there was no response. */
  readonly status: number | null;
  readonly error: string | null;
  readonly ms: number;
}

const timeoutMs = 5_000;
const concurrencyMax = 16;
const help = `
The signing secret is generated once and saved with the profiles, so you configure your receiver only once. Each event
is sent once: a failure is shown and not retried. Ctrl-C stops it.

Examples:
  $ agent-herald listen --forward-to http://localhost:4000/hook
  $ agent-herald listen --forward-to localhost:4000/hook --event agent.created --tenant tenant-1
  $ agent-herald listen --forward-to localhost:4000/hook --since 10m
`;

export function addListen(program: Command): void {
  program
    .command('listen')
    .description('send events to a receiver on this machine, signed like those of a webhook')
    .addOption(
      new Option('--forward-to <url>', 'URL of your receiver')
        .argParser(readUrl)
        .makeOptionMandatory(),
    )
    .addOption(new Option('--event <names...>', 'only these events').choices(subscribedEventNames))
    .addOption(tenantOption())
    .addOption(sinceOption())
    .addOption(new Option('--secret <secret>', 'sign with this secret').env('WEBHOOK_SECRET'))
    .option('--print-json', 'print each payload')
    .addHelpText('after', help)
    .action(listen);
}

async function listen(options: ListenOptions, command: Command): Promise<void> {
  const session = new Session(command);
  const { event: names = [], tenant, since, forwardTo } = options;
  const secret = options.secret === undefined ? keptSecret() : checkSecret(options.secret);
  const shown = options.secret === undefined ? secret : 'the given secret';
  const { proxy, description } = routeTo(forwardTo);
  const by = proxy === null ? '' : ` through the proxy ${description}`;
  session.note(`forwarding to ${forwardTo}${by}, signed with ${shown}`);
  const query = {
    ...(names.length === 1 ? { event: names[0] } : {}),
    ...(tenant === undefined ? {} : { externalTenantId: tenant }),
    ...(since === undefined ? {} : { since }),
  };
  const forwarder = new Forwarder(async (streamed) => {
    const forwarded = await forward(streamed, { forwardTo, secret });
    report(session, streamed, { forwarded, withPayload: options.printJson ?? false });
  });
  for await (const streamed of session.client.events.stream(query, streamOptions(session)))
    if (names.length === 0 || (names as string[]).includes(streamed.event.event))
      await forwarder.take(streamed);
}

/** Sends the events of one resource one after another, and those of different resources concurrently. */
class Forwarder {
  readonly #forward: (streamed: StreamedEvent) => Promise<void>;
  readonly #latest = new Map<string, Promise<void>>();
  readonly #inFlight = new Set<Promise<void>>();

  constructor(forward: (streamed: StreamedEvent) => Promise<void>) {
    this.#forward = forward;
  }

  /** Resolves when another event can be taken. */
  async take(streamed: StreamedEvent): Promise<void> {
    const { event } = streamed;
    const resource = `${event.event.split('.')[0]} ${event.resourceUid}`;
    const before = this.#latest.get(resource) ?? Promise.resolve();
    const sent = before.then(() => this.#forward(streamed));
    const latest = sent.finally(() => {
      if (this.#latest.get(resource) === latest) this.#latest.delete(resource);
    });
    this.#latest.set(resource, latest);
    this.#inFlight.add(latest);
    const done = latest.finally(() => this.#inFlight.delete(latest));
    while (this.#inFlight.size >= concurrencyMax) await Promise.race([done, ...this.#inFlight]);
  }
}

async function forward(
  { event, payloadText: body }: StreamedEvent,
  { forwardTo, secret }: { forwardTo: string; secret: string },
): Promise<Forwarded> {
  const { eventId, event: name, resourceUid, sequence } = event;
  const facts = { eventId, event: name, resourceUid };
  const startedAt = performance.now();
  const took = () => Math.round(performance.now() - startedAt);
  if (body === null) return { ...facts, status: null, error: 'the payload was erased', ms: 0 };
  try {
    const response = await fetchByRoute(forwardTo, {
      method: 'POST',
      headers: signedHeaders({ eventId, sequence, body }, secret, new Date()),
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.arrayBuffer();
    return { ...facts, status: response.status, error: null, ms: took() };
  } catch (error) {
    return { ...facts, status: null, error: reasonOf(error), ms: took() };
  }
}

function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === 'TimeoutError') return `no response within ${timeoutMs / 1_000} s`;
  return cause instanceof Error
    ? ((cause as NodeJS.ErrnoException).code ?? cause.message)
    : message;
}

function report(
  session: Session,
  { event, payloadText }: StreamedEvent,
  { forwarded, withPayload }: { forwarded: Forwarded; withPayload: boolean },
): void {
  const { status, error, ms, eventId, resourceUid } = forwarded;
  const time = new Date().toISOString().slice(11, 23);
  const isDelivered = status !== null && status >= 200 && status < 300;
  const result = `${isDelivered ? '✓' : '✗'} ${status ?? error} in ${ms} ms`;
  const text = `${time}  ${event.event.padEnd(19)}  ${result.padEnd(18)}  ${resourceUid}  ${eventId}`;
  if (!withPayload) return session.line(forwarded, text);
  if (session.isJson) return print(withPayloadText(forwarded, payloadText));
  // The text goes to standard error, so that only JSON is in a file or a pipe.
  session.note(text);
  session.line({}, JSON.stringify(event.payload, null, 2));
}

/** Adds the payload as it was written, in one line. Parsing would change its numbers. */
function withPayloadText(forwarded: Forwarded, payloadText: string | null): string {
  const payload = payloadText?.replaceAll(/[\r\n]/g, ' ') ?? 'null';
  return `${JSON.stringify(forwarded).slice(0, -1)},"payload":${payload}}`;
}

const secretBytesMin = 24;

/** Applies the rule of receivers. Not an argument parser, because its error would show the secret. */
function checkSecret(text: string, prefix = ''): string {
  try {
    if ((keysOf(text, 'standard')[0]?.length ?? 0) >= secretBytesMin) return text;
  } catch {
    // Its message names an option that this command does not have.
  }
  throw new CommandError(
    `${prefix}a secret is whsec_ followed by at least 24 bytes in base64`,
    exitCodes.usage,
  );
}

function keptSecret(): string {
  const settings = readSettings();
  if (settings.listenSecret !== undefined)
    return checkSecret(settings.listenSecret, `listenSecret in ${settingsFile()} is invalid: `);
  const listenSecret = newSecret();
  writeSettings({ ...settings, listenSecret });
  return listenSecret;
}
