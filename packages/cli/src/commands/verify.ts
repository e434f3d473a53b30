import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { type Scheme, Verifier, WebhookRefused } from '../../../receiver-ts/src/index.ts';
import { readTime } from '../arguments.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { readHeaders, readRawRequest, type SavedRequest } from '../saved-request.ts';
import { type GlobalOptions, print, printTable, wantsJson } from '../session.ts';

interface VerifyOptions {
  readonly secret: string[];
  readonly request?: string;
  readonly headers?: string;
  readonly body?: string;
  readonly receivedAt?: string;
}

interface Check {
  readonly check: string;
  readonly result: 'right' | 'wrong' | 'not checked';
  readonly code: string | null;
  readonly why: string;
}

const help = `
Save a request as it came: its headers and, behind a blank line, the body, without any change. It says right for each
check that a receiver makes, or why it is wrong, and ends with 1 if one is wrong. Its age is checked only where
--received-at says when it came.

Examples:
  $ WEBHOOK_SECRET=… agent-herald verify --request request.http
  $ WEBHOOK_SECRET=… agent-herald verify --headers headers.txt --body body.json
`;

const anySecret = 'whsec_AAAA';

export function addVerify(program: Command): void {
  program
    .command('verify')
    .description('says whether a saved request is genuine, and if not, which check fails and why')
    .addOption(
      // Other users of the machine see arguments, and not the environment.
      new Option('--secret <secrets...>', 'the secret; several during a rotation')
        .env('WEBHOOK_SECRET')
        .makeOptionMandatory(),
    )
    .option('--request <file>', 'the whole request; - for standard input')
    .option('--headers <file>', 'its headers, one a line or as JSON')
    .option('--body <file>', 'its body')
    .addOption(new Option('--received-at <time>', 'when it came').argParser(readTime))
    .addHelpText('after', help)
    .action(verify);
}

async function verify(options: VerifyOptions, command: Command): Promise<void> {
  const request = readRequest(options);
  const secrets = [options.secret].flat();
  const checks = [
    await checkSignature(request, secrets, 'standard'),
    await checkSignature(request, secrets, 'body-only'),
    await checkAge(request, options.receivedAt),
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

function readRequest({ request, headers, body }: VerifyOptions): SavedRequest {
  if (request !== undefined) return readRawRequest(readFileSync(request === '-' ? 0 : request));
  if (headers === undefined || body === undefined)
    throw new CommandError('give --request, or --headers and --body', exitCodes.usage);
  return { headers: readHeaders(readFileSync(headers, 'utf8')), body: readFileSync(body) };
}

/** Null where the header is missing or no whole seconds. */
function sentAtMs({ headers }: SavedRequest): number | null {
  const seconds = headers['webhook-timestamp'] ?? '';
  return /^[0-9]{1,12}$/.test(seconds) ? Number(seconds) * 1_000 : null;
}

async function checkSignature(
  request: SavedRequest,
  secrets: readonly string[],
  scheme: Scheme,
): Promise<Check> {
  const check = scheme === 'standard' ? 'webhook-signature' : 'x-webhook-signature';
  const trimmed = secrets.map((secret) => secret.trim());
  const refused = await refusalOf(request, trimmed, { scheme });
  const isPadded = trimmed.some((secret, index) => secret !== secrets[index]);
  if (refused === null && isPadded) {
    const why = 'it is right, but the secret has spaces or line breaks around it';
    return { check, result: 'wrong', code: 'signature_mismatch', why };
  }
  if (refused === null) return { check, result: 'right', code: null, why: 'made with the secret' };
  const { code, message } = refused;
  const guess = code === 'signature_mismatch' ? await guessWhy(request, trimmed, scheme) : null;
  const why = guess === null ? message : `${message}: ${guess}`;
  return { check, result: 'wrong', code, why };
}

interface How {
  readonly scheme: Scheme;
  /** The clock; that of the request by default. */
  readonly nowMs?: number | undefined;
}

async function refusalOf(
  request: SavedRequest,
  secrets: readonly string[],
  { scheme, nowMs = sentAtMs(request) ?? Date.now() }: How,
): Promise<WebhookRefused | null> {
  try {
    await new Verifier({ secrets, scheme, now: () => nowMs }).verify(request);
    return null;
  } catch (error) {
    if (error instanceof WebhookRefused) return error;
    if (error instanceof TypeError) throw new CommandError(error.message, exitCodes.usage);
    throw error;
  }
}

/** Tries what usually goes wrong with a body. */
async function guessWhy(
  request: SavedRequest,
  secrets: readonly string[],
  scheme: Scheme,
): Promise<string> {
  const text = request.body.toString('utf8');
  const bodies: Readonly<Record<string, string>> = {
    'it is right without the line break at the end of the body': text.replace(/\r?\n$/, ''),
    'it is right with the line breaks of Unix': text.replaceAll('\r\n', '\n'),
    'the body was parsed and written anew: verify the bytes as they came': rewritten(text),
  };
  for (const [why, body] of Object.entries(bodies)) {
    const changed = { ...request, body: Buffer.from(body) };
    if (body !== text && (await refusalOf(changed, secrets, { scheme })) === null) return why;
  }
  return 'another secret, or a changed body';
}

function rewritten(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}

async function checkAge(request: SavedRequest, receivedAt: string | undefined): Promise<Check> {
  const check = 'webhook-timestamp';
  // The other headers have a check of their own: here any signature is none.
  const { body } = request;
  const headers = { ...request.headers, 'webhook-id': '-', 'webhook-signature': '-' };
  const nowMs = receivedAt === undefined ? undefined : Date.parse(receivedAt);
  const refused = await refusalOf({ headers, body }, [anySecret], { scheme: 'standard', nowMs });
  if (refused !== null && refused.code !== 'signature_mismatch')
    return { check, result: 'wrong', code: refused.code, why: refused.message };
  const why = `sent at ${new Date(sentAtMs(request) ?? 0).toISOString()}`;
  return { check, result: receivedAt === undefined ? 'not checked' : 'right', code: null, why };
}
