// The interface of the HTTP and mail senders.
import type { AttemptTimings } from '../model/attempt.ts';
import { isMailUrl } from '../model/url-origin.ts';
import type { AttemptPhase } from './attempt-trace.ts';
import type { SendErrorVerdict } from './classify-send-error.ts';
import type { ClientCertificate } from './client-certificate.ts';
import type { ResponseDescription } from './describe-response.ts';
import type { ExchangeRequest } from './exchange.ts';

export type SendMessage = Omit<ExchangeRequest, 'path'> & {
  readonly clientCertificate?: ClientCertificate | null;
  /** Removed from the response sample. */
  readonly secretTexts?: readonly string[];
};

export interface SendTarget {
  readonly url: string;
  /** The application and webhook whose limits apply; by default the URL stands for both. */
  readonly appUid?: string;
  readonly webhookUid?: string;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  /** Called with an open connection, right before the request is written; if it throws, the send ends. */
  readonly beforeRequest?: (() => void) | undefined;
}

/** `compose` is called with permits held, so that it signs the time of sending and no body is held before. */
export type SendRequest = SendTarget &
  (SendMessage | { readonly compose: () => Promise<SendMessage> });

export type SendResult = SendFacts &
  (
    | (ResponseDescription & { readonly kind: 'responded'; readonly status: number })
    | (SendErrorVerdict & {
        readonly kind: 'failed';
        /** Only for the operator's log, because it may contain addresses. */
        readonly cause: string | null;
      })
  );

interface SendFacts {
  readonly address: string | null;
  readonly ms: AttemptTimings;
  readonly phases: readonly AttemptPhase[];
}

export interface Sender extends AsyncDisposable {
  /**
   * POSTs once; faults of the network and the receiver are results. Rejects with the signal's reason, the error of
   * `compose`, the SendFault `THROTTLED`, or a fault of our own (an invalid header, an unavailable proxy…).
   */
  send(request: SendRequest): Promise<SendResult>;
  /** Rejects waiting sends with `THROTTLED`, now and later, because the process is stopping. */
  endWaits(): void;
}

/** Sends by mail if the webhook's URL is an email address. Without a mail server such attempts are `blocked`. */
export function createSender(http: Sender, mail: Sender | null): Sender {
  return {
    send: (request) => (isMailUrl(request.url) ? (mail ?? http) : http).send(request),
    endWaits() {
      http.endWaits();
      mail?.endWaits();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([http[Symbol.asyncDispose](), mail?.[Symbol.asyncDispose]()]);
    },
  };
}
