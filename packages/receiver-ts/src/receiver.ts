// What all adapters share: from a request to its response.
import { type DeliveryStore, MemoryDeliveryStore } from './delivery-store.ts';
import { resourceOf, type WebhookEvent } from './event.ts';
import { checkFunctions, checkLimits, checkStore } from './limits.ts';
import { bodyAlreadyRead, type RefusalCode, WebhookRefused } from './refusal.ts';
import type { SequenceStore } from './sequence-store.ts';
import { type Delivery, type SignedRequest, Verifier, type VerifierOptions } from './verifier.ts';

type Handler = (event: WebhookEvent, delivery: Delivery) => unknown;

export interface ReceiverOptions extends VerifierOptions {
  /** Handles an event; when it throws or rejects, the service sends the event again. */
  onEvent: Handler;
  /** Handles test events, which otherwise only get a response. */
  onTest?: Handler | undefined;
  /** Gets what was refused (`WebhookRefused`) and what failed. It must not throw. */
  onError?: ((error: unknown) => void) | undefined;
  /** Which events are handled; in memory by default. */
  deliveries?: DeliveryStore | undefined;
  /** With it, a change is skipped if a newer change to the same resource was already handled. */
  sequences?: SequenceStore | undefined;
  /** The largest body in bytes; 1 MiB by default. */
  bodyBytesMax?: number | undefined;
}

export interface WebhookResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string | null;
}

/** The body is larger than `bodyBytesMax`. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

const statuses: Readonly<Record<RefusalCode, number>> = {
  missing_header: 401,
  invalid_timestamp: 401,
  timestamp_too_old: 401,
  timestamp_too_new: 401,
  signature_mismatch: 401,
  body_already_read: 500,
  invalid_body: 400,
  event_id_mismatch: 400,
};
const done: WebhookResponse = { status: 204, headers: {}, body: null };
const bodyBytesMaxDefault = 1_048_576;

/** A request whose body is not read yet. */
export interface UnreadRequest {
  method: string;
  headers: SignedRequest['headers'];
  /** Returns the body. Rejects with `BodyTooLarge` when it has more bytes than that. */
  readBody: (bytesMax: number) => Promise<Uint8Array> | Uint8Array;
}

export class Receiver {
  readonly #options: ReceiverOptions;
  readonly #verifier: Verifier;
  readonly #deliveries: DeliveryStore;
  readonly #bodyBytesMax: number;

  constructor(options: ReceiverOptions) {
    const { onEvent, onTest, onError, sequences } = options;
    checkFunctions({ onEvent: onEvent ?? '', onTest, onError });
    this.#options = options;
    this.#verifier = new Verifier(options);
    this.#deliveries = options.deliveries ?? new MemoryDeliveryStore();
    this.#bodyBytesMax = options.bodyBytesMax ?? bodyBytesMaxDefault;
    checkLimits({ bodyBytesMax: this.#bodyBytesMax });
    checkStore('deliveries', this.#deliveries, ['claim', 'complete', 'release']);
    if (sequences !== undefined) checkStore('sequences', sequences, ['newest', 'advance']);
  }

  /** Returns the response to a request. What is refused or fails goes to `onError`. */
  async receive(request: UnreadRequest): Promise<WebhookResponse> {
    if (request.method !== 'POST') return responseOf(405, 'method_not_allowed', { Allow: 'POST' });
    try {
      const body = await request.readBody(this.#bodyBytesMax);
      const delivery = await this.#verifier.verify({ headers: request.headers, body });
      return await this.#handle(delivery);
    } catch (error) {
      this.#options.onError?.(error);
      if (error instanceof WebhookRefused) return refusalOf(error);
      if (error instanceof BodyTooLarge) return responseOf(413, 'body_too_large');
      return responseOf(500, 'handler_failed');
    }
  }

  async #handle(delivery: Delivery): Promise<WebhookResponse> {
    const { event, isTest } = delivery;
    if (isTest) {
      await this.#options.onTest?.(event, delivery);
      return done;
    }
    const token = crypto.randomUUID();
    try {
      const claim = await this.#deliveries.claim(event.eventId, token);
      if (claim === 'busy') return responseOf(409, 'in_progress');
      if (claim === 'new') await this.#handleClaimed(delivery, token);
    } catch (error) {
      // Also when the claim failed: the store may have made it before its response was lost.
      await this.#release(event.eventId, token);
      throw error;
    }
    return done;
  }

  async #handleClaimed(delivery: Delivery, token: string): Promise<void> {
    const { event } = delivery;
    if (!(await this.#isOlder(delivery))) {
      await this.#options.onEvent(event, delivery);
      await this.#advance(delivery);
    }
    await this.#deliveries.complete(event.eventId, token);
  }

  async #isOlder({ event, sequence }: Delivery): Promise<boolean> {
    const { sequences } = this.#options;
    if (sequences === undefined || sequence === null) return false;
    return sequence < (await sequences.newest(resourceOf(event)));
  }

  /** After the handler: a change that failed leaves out no other. */
  async #advance({ event, sequence }: Delivery): Promise<void> {
    if (sequence === null) return;
    await this.#options.sequences?.advance(resourceOf(event), sequence);
  }

  async #release(eventId: string, token: string): Promise<void> {
    try {
      await this.#deliveries.release(eventId, token);
    } catch (error) {
      this.#options.onError?.(error);
    }
  }
}

/** The service shows the response with the attempt, so it says what to do about the receiver's setup. */
function refusalOf({ code }: WebhookRefused): WebhookResponse {
  const response = responseOf(statuses[code], code);
  if (code !== 'body_already_read') return response;
  return { ...response, body: JSON.stringify({ code, detail: bodyAlreadyRead }) };
}

function responseOf(
  status: number,
  code: string,
  headers: Record<string, string> = {},
): WebhookResponse {
  return {
    status,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ code }),
  };
}
