import { type Command, Option } from 'commander';
import {
  type Scheme,
  Verifier,
  type VerifierOptions,
  WebhookRefused,
} from '../../../receiver-ts/src/index.ts';
import { checkWebhookUid } from '../../../receiver-ts/src/secrets.ts';
import { readTime } from '../arguments.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { readRequest, type SavedRequest, type SavedFiles } from '../saved-request.ts';
import { type GlobalOptions, print, printTable, wantsJson } from '../session.ts';
import { explainBody, explainSigning, suspect } from '../wrong-signature.ts';

interface VerifyOptions extends SavedFiles {
  readonly secret?: string[];
  readonly publicKeys?: string[];
  readonly webhook?: string;
  readonly receivedAt?: string;
}

interface Check {
  readonly check: string;
  readonly result: 'right' | 'wrong' | 'not checked';
  readonly code: string | null;
  readonly why: string;
}

const help = `
Save the request exactly as it arrived: the headers, a blank line and the unchanged body. Each check that a receiver makes
is shown as right or wrong, with the reason. Exits with 1 if a check is wrong. The age is checked only with
--received-at. Signatures v1a are checked with the public keys and the uid that the console shows on the page of the
webhook.

Examples:
  $ WEBHOOK_SECRET=… agent-herald verify --request request.http
  $ agent-herald verify --public-keys whpk_… --webhook whk_… --request request.http
  $ WEBHOOK_SECRET=… agent-herald verify --headers headers.txt --body body.json
`;

const anySecret = 'whsec_AAAA';
const neverInSecrets = /[\s\p{C}"'`\u201c\u201d\u2018\u2019]+/gu;

export function addVerify(program: Command): void {
  program
    .command('verify')
    .description('check whether a saved request is genuine, and explain what is wrong')
    .addOption(
      // Other users of the machine can see arguments, but not the environment.
      new Option('--secret <secrets...>', 'secret of the webhook; several during a rotation').env(
        'WEBHOOK_SECRET',
      ),
    )
    .option('--public-keys <keys...>', 'public keys of the application (whpk_…), for v1a')
    .option('--webhook <uid>', 'uid of the webhook (whk_…), required with --public-keys')
    .option('--request <file>', 'file with the whole request; - for standard input')
    .option('--headers <file>', 'file with the headers, one per line or as JSON')
    .option('--body <file>', 'file with the body')
    .addOption(new Option('--received-at <time>', 'when the request arrived').argParser(readTime))
    .addHelpText('after', help)
    .action(verify);
}

async function verify(options: VerifyOptions, command: Command): Promise<void> {
  const request = readRequest(options);
  const { secret, publicKeys, webhook } = options;
  if (secret === undefined && publicKeys === undefined)
    throw new CommandError('--secret or --public-keys is required', exitCodes.usage);
  const verdicts = [
    ...(secret === undefined ? [] : await checkWithSecrets(request, [secret].flat())),
    ...(publicKeys === undefined
      ? []
      : [await checkWithPublicKeys(request, { publicKeys, webhookUid: uidOf(webhook) })]),
  ];
  const checks = [
    ...verdicts.map(({ check }) => check),
    await checkAge(request, options.receivedAt),
    ...bodyChecks(verdicts.find(({ ofBody }) => ofBody !== null)?.ofBody ?? null),
  ];
  if (wantsJson(command.optsWithGlobals<GlobalOptions>())) print(JSON.stringify(checks, null, 2));
  else
    printTable(checks, {
      check: ({ check }) => check,
      result: ({ result }) => result,
      why: ({ why }) => why,
    });
  const wrong = checks.filter(({ result }) => result === 'wrong').map(({ check }) => check);
  if (wrong.length > 0) throw new CommandError(`wrong: ${wrong.join(', ')}`);
}

async function checkWithSecrets(
  request: SavedRequest,
  secrets: readonly string[],
): Promise<Verdict[]> {
  const standard = await checkSignature(request, secrets, 'standard');
  const bodyOnly = await checkSignature(request, secrets, 'body-only');
  return [{ ...standard, check: withProxyHint(standard.check, bodyOnly.check) }, bodyOnly];
}

function uidOf(webhook: string | undefined): string {
  try {
    return checkWebhookUid(webhook);
  } catch {
    const fault = '--webhook must be the uid of the webhook (whk_…) with --public-keys';
    throw new CommandError(fault, exitCodes.usage);
  }
}

async function checkWithPublicKeys(
  request: SavedRequest,
  keys: { publicKeys: readonly string[]; webhookUid: string },
): Promise<Verdict> {
  const check = 'webhook-signature v1a';
  const refused = await refusalOf(request, keys);
  if (!isOfSignature(refused)) {
    const why = 'made with the private key, for this webhook';
    return { check: { check, result: 'right', code: null, why }, ofBody: refused };
  }
  const { code, message } = refused;
  const isRight = async (body: Buffer) =>
    !isOfSignature(await refusalOf({ ...request, body }, keys));
  const explain = async () =>
    (await explainWebhook(request, keys)) ?? (await explainBody(request.body, isRight));
  const guess =
    code === 'signature_mismatch' &&
    ((hasEntry(request, 'v1a') ? await explain() : noAsymmetric) ??
      suspect(request) ??
      'a key of another application or of an earlier rotation, another webhook, or a changed body');
  const why = guess ? `${message}: ${guess}` : message;
  return { check: { check, result: 'wrong', code, why }, ofBody: null };
}

/** Returns null unless the signature is right for the webhook that the header names. */
async function explainWebhook(request: SavedRequest, keys: How): Promise<string | null> {
  const webhookUid = request.headers['x-webhook-uid'] ?? '';
  if (!/^whk_[0-9a-z]+$/.test(webhookUid) || webhookUid === keys.webhookUid) return null;
  const isOther = !isOfSignature(await refusalOf(request, { ...keys, webhookUid }));
  return isOther ? `it was made for another webhook, ${webhookUid}` : null;
}

const noAsymmetric = 'the webhook does not have the signature v1a';
const noSymmetric =
  'the webhook does not have the signature v1; check v1a with --public-keys instead of --secret';

function hasEntry({ headers }: SavedRequest, version: 'v1' | 'v1a'): boolean {
  const entries = (headers['webhook-signature'] ?? '').split(' ');
  return entries.some((entry) => entry.startsWith(`${version},`));
}

function withProxyHint(standard: Check, { result }: Check): Check {
  if (standard.code !== 'missing_header' || result !== 'right') return standard;
  const hint = 'if a proxy drops the webhook-… headers, use the scheme body-only';
  return { ...standard, why: `${standard.why}: ${hint}` };
}

/** Checks the body only if its signature is right. A body signed with another secret proves nothing. */
function bodyChecks(refused: WebhookRefused | null): Check[] {
  if (refused === null) return [];
  const { code, message } = refused;
  const why = `the signature is right, but ${message}: this is not an event of the service`;
  return [{ check: 'body', result: 'wrong', code, why }];
}

/** Returns null if the header is missing or not whole seconds. */
function sentAtMs({ headers }: SavedRequest): number | null {
  const seconds = headers['webhook-timestamp'] ?? '';
  return /^[0-9]{1,12}$/.test(seconds) ? Number(seconds) * 1_000 : null;
}

interface Verdict {
  readonly check: Check;
  /** The refusal of a body whose signature is right. */
  readonly ofBody: WebhookRefused | null;
}

async function checkSignature(
  request: SavedRequest,
  secrets: readonly string[],
  scheme: Scheme,
): Promise<Verdict> {
  const name = scheme === 'standard' ? 'webhook-signature' : 'x-webhook-signature';
  const cleaned = secrets.map((secret) => secret.replaceAll(neverInSecrets, ''));
  const refused = await refusalOf(request, { secrets: cleaned, scheme });
  const wrong = (code: string, why: string): Check => ({ check: name, result: 'wrong', code, why });
  if (!isOfSignature(refused)) {
    const fault = faultOf(secrets);
    const right = {
      check: name,
      result: 'right',
      code: null,
      why: 'made with the secret',
    } as const;
    const why = `the signature is right, but the secret ${fault}`;
    return { check: fault === null ? right : wrong('signature_mismatch', why), ofBody: refused };
  }
  const { code, message } = refused;
  const guess = code === 'signature_mismatch' && (await guessWhy(request, cleaned, scheme));
  return { check: wrong(code, guess ? `${message}: ${guess}` : message), ofBody: null };
}

/** The signature is checked before the body is parsed. */
function isOfSignature(refused: WebhookRefused | null): refused is WebhookRefused {
  return refused !== null && !['invalid_body', 'event_id_mismatch'].includes(refused.code);
}

function faultOf(secrets: readonly string[]): string | null {
  if (secrets.every((secret) => secret === secret.replaceAll(neverInSecrets, ''))) return null;
  const trimmed = secrets.map((secret) => secret.trim());
  return trimmed.some((secret) => secret !== secret.replaceAll(neverInSecrets, ''))
    ? 'contains quotes, spaces, line breaks or invisible characters'
    : 'has spaces or line breaks around it';
}

interface How extends Pick<VerifierOptions, 'secrets' | 'publicKeys' | 'webhookUid' | 'scheme'> {
  /** The current time. The default is the time of the request. */
  readonly nowMs?: number | undefined;
}

async function refusalOf(
  request: SavedRequest,
  { nowMs = sentAtMs(request) ?? Date.now(), ...keys }: How,
): Promise<WebhookRefused | null> {
  try {
    // The saved body may have another length. Only the signature counts here.
    const { 'content-length': _, ...headers } = request.headers;
    const { body } = request;
    await new Verifier({ ...keys, now: () => nowMs }).verify({ headers, body });
    return null;
  } catch (error) {
    if (error instanceof WebhookRefused) return error;
    if (error instanceof TypeError) throw new CommandError(error.message, exitCodes.usage);
    throw error;
  }
}

/** Tries the usual mistakes, and otherwise names a likely cause. */
async function guessWhy(
  request: SavedRequest,
  secrets: readonly string[],
  scheme: Scheme,
): Promise<string> {
  const isRight = async (of: Scheme, body: Buffer) =>
    !isOfSignature(await refusalOf({ ...request, body }, { secrets, scheme: of }));
  if (scheme === 'standard' && hasEntry(request, 'v1a') && !hasEntry(request, 'v1'))
    return noSymmetric;
  const proved =
    explainSigning({ request, secrets, scheme }) ??
    (await explainBody(request.body, (body) => isRight(scheme, body)));
  if (proved !== null) return proved;
  const other = scheme === 'standard' ? 'body-only' : 'standard';
  if (await isRight(other, request.body))
    return 'another secret, perhaps during a rotation: the other signature shows that the body is unchanged';
  return suspect(request) ?? 'another secret, or a changed body';
}

function hintOf({ code }: WebhookRefused, { headers }: SavedRequest): string {
  if (/^[0-9]{13}$/.test(headers['webhook-timestamp'] ?? ''))
    return ': it is in milliseconds, not seconds';
  return code === 'timestamp_too_new' ? ': a clock or --received-at is wrong' : '';
}

async function checkAge(request: SavedRequest, receivedAt: string | undefined): Promise<Check> {
  const check = 'webhook-timestamp';
  // The other headers are checked separately, so the signature is made invalid here.
  const { body } = request;
  const headers = { ...request.headers, 'webhook-id': '-', 'webhook-signature': '-' };
  const nowMs = receivedAt === undefined ? undefined : Date.parse(receivedAt);
  const refused = await refusalOf({ headers, body }, { secrets: anySecret, nowMs });
  if (refused !== null && refused.code !== 'signature_mismatch')
    return {
      check,
      result: 'wrong',
      code: refused.code,
      why: refused.message + hintOf(refused, request),
    };
  const why = `sent at ${new Date(sentAtMs(request) ?? 0).toISOString()}`;
  return { check, result: receivedAt === undefined ? 'not checked' : 'right', code: null, why };
}
