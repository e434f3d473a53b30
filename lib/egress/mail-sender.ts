// Sends to operations webhooks with an email address, through the operator's mail server.
import { createTransport, type Transporter } from 'nodemailer';
import { attemptLimits, limits } from '../limits.ts';
import { isRecord } from '../platform/error-code.ts';
import { startDeadline } from './attempt-deadline.ts';
import { msSince } from './attempt-trace.ts';
import { classifySendError } from './classify-send-error.ts';
import type { Sender, SendMessage, SendRequest, SendResult } from './sender.ts';
import type { MailServer } from './mail-server.ts';
import { addressOf } from './mail-url.ts';
import { sampleText } from './response-sample.ts';
import { RequestPermits } from './request-permits.ts';
import { faultText } from './send-fault.ts';

interface MailText {
  readonly subject: string;
  readonly text: string;
}

export interface MailSenderOptions {
  readonly server: MailServer;
  /** A plain address. */
  readonly from: string;
  /** The name in EHLO. Null: the library's, which is `[127.0.0.1]` in a container. */
  readonly greeting?: string | null;
  readonly write: (body: string) => MailText;
  readonly timeoutMs?: number;
  /** PEM, instead of the system's CAs. */
  readonly ca?: string;
}

/** Behaves like the HTTP sender: reply codes are statuses, faults of the mail server are results. */
export function createMailSender(options: MailSenderOptions): Sender {
  const { timeoutMs: timeoutMsDefault = limits.attemptTimeoutMs } = options;
  const transport = createTransport(transportOptions(options));
  const { concurrentMailsMax } = attemptLimits;
  const permits = new RequestPermits({
    perWebhookMax: 1,
    perOriginMax: concurrentMailsMax,
    inAllMax: concurrentMailsMax,
  });
  const inFlight = new Set<Promise<unknown>>();

  async function sendWithPermit(request: SendRequest): Promise<SendResult> {
    const { url, appUid = url, webhookUid = url, signal } = request;
    const permit = await permits.acquire(new URL(url), { appUid, webhookUid, signal });
    try {
      return await sendOnce(request);
    } finally {
      permit.release();
    }
  }

  async function sendOnce(request: SendRequest): Promise<SendResult> {
    const message = 'compose' in request ? await request.compose() : request;
    const { url, webhookUid = '', timeoutMs = timeoutMsDefault, signal } = request;
    signal?.throwIfAborted();
    const startedAt = performance.now();
    const deadline = startDeadline(timeoutMs, { signal });
    const mail = toMail(message, { from: options.from, to: addressOf(url), webhookUid, write });
    try {
      const { response } = await transport.sendMail({ ...mail, signal: deadline.signal });
      return responded(statusOf(response), response, startedAt);
    } catch (error) {
      signal?.throwIfAborted();
      return toResult(error, startedAt);
    } finally {
      deadline.stop();
    }
  }

  const { write } = options;
  return {
    async send(request) {
      const work = sendWithPermit(request);
      inFlight.add(work);
      return work.finally(() => inFlight.delete(work));
    },
    endWaits: () => permits.endWaits(),
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(inFlight);
      transport.close();
    },
  };
}

type TransportOptions = Parameters<typeof createTransport>[0];

function transportOptions({ server, ca, greeting = null }: MailSenderOptions) {
  const { host, port, isTls, login, needsTls } = server;
  return {
    host,
    port,
    secure: isTls,
    requireTLS: needsTls,
    ...(greeting === null ? {} : { name: greeting }),
    ...(login === null ? {} : { auth: login, forceAuth: true }),
    tls: { minVersion: 'TLSv1.2', ...(ca === undefined ? {} : { ca }) },
    disableFileAccess: true,
    disableUrlAccess: true,
  } as const satisfies TransportOptions;
}

// A repeat has the same Message-ID; vacation replies are not wanted (RFC 3834).
function toMail(
  { headers, body }: SendMessage,
  to: Pick<MailSenderOptions, 'from' | 'write'> & { to: string; webhookUid: string },
): Parameters<Transporter['sendMail']>[0] {
  const eventId = headers['X-Webhook-Event-Id'] ?? '';
  const domain = to.from.slice(to.from.lastIndexOf('@') + 1);
  return {
    from: { name: 'agent-herald', address: to.from },
    to: { name: '', address: to.to },
    messageId: `<${eventId}.${to.webhookUid}@${domain}>`,
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Webhook-Event-Id': eventId,
      'X-Webhook-Attempt': headers['X-Webhook-Attempt'] ?? '',
    },
    ...to.write(String(body)),
  };
}

// Maps Nodemailer's codes to those that `classifySendError` knows.
const codes: Readonly<Record<string, string>> = {
  EABORT: 'ATTEMPT_DEADLINE',
  ETIMEDOUT: 'ATTEMPT_DEADLINE',
  EDNS: 'NAME_UNRESOLVED',
  ETLS: 'EPROTO',
  ESOCKET: 'ECONNRESET',
  ECONNECTION: 'ECONNRESET',
  EPROTOCOL: 'ECONNRESET',
};

// Without a reply or a connection fault it is a fault of our own, and so is a refused login, which is a faulty setting.
function toResult(error: unknown, startedAt: number): SendResult {
  if (!isRecord(error) || error['code'] === 'EAUTH') throw error;
  const { code, originalCode, responseCode, response } = error;
  if (typeof responseCode === 'number' && typeof response === 'string') {
    return responded(responseCode, response, startedAt);
  }
  const known = codes[String(code)];
  if (known === undefined) throw error;
  const cause = code === 'ESOCKET' && typeof originalCode === 'string' ? originalCode : known;
  const verdict = classifySendError({ code: cause }, 'connect');
  if (verdict === null) throw error;
  const ms = { total: msSince(startedAt) };
  return { kind: 'failed', ...verdict, cause: faultText(error), address: null, ms, phases: [] };
}

function responded(status: number, response: string, startedAt: number): SendResult {
  const responseSample = sampleText(Buffer.from(response), true);
  const ms = { total: msSince(startedAt) };
  const rest = { retryAfter: null, detail: null, responseHeaders: [], address: null, phases: [] };
  return { kind: 'responded', status, responseSample, ms, ...rest };
}

function statusOf(response: string): number {
  return Number(/^\d{3}/.exec(response)?.[0] ?? 250);
}
