// The part that all adapters share: handles a request and returns the response.
import { challengeIn } from './challenge.ts';
import { type DeliveryStore, MemoryDeliveryStore } from './delivery-store.ts';
import { resourceOf, type WebhookEvent } from './event.ts';
import { checkFunctions, checkLimits, checkStore } from './limits.ts';
import { bodyAlreadyRead, type RefusalCode, WebhookRefused } from './refusal.ts';
import type { SequenceStore } from './sequence-store.ts';
import { type Delivery, type SignedRequest, Verifier, type VerifierOptions } from './verifier.ts';

type Handler = (event: WebhookEvent, delivery: Delivery) => unknown;

export interface ReceiverOptions extends VerifierOptions {
  /** Handles an event. If it throws or rejects, the service sends the event again. */
  onEvent: Handler;
  /** Handles test events. By default, they are acknowledged and ignored. */
  onTest?: Handler | undefined;
  /** Called with refusals (`WebhookRefused`) and other errors. It must not throw. */
  onError?: ((error: unknown) => void) | undefined;
  /** Remembers handled events. The default store is in memory. */
  deliveries?: DeliveryStore | undefined;
  /** If set, changes older than the latest handled change of the same resource are acknowledged without a call. */
  sequences?: SequenceStore | undefined;
  /** The maximum size of a body in bytes. The default is 1 MiB. */
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
  keys_unavailable: 503,
  body_already_read: 500,
  invalid_body: 400,
  event_id_mismatch: 400,
};
const done: WebhookResponse = { status: 204, headers: {}, body: null };
const bodyBytesMaxDefault = 1_048_576;

/** A request whose body has not been read. */
export interface UnreadRequest {
  method: string;
  headers: SignedRequest['headers'];
  /** Returns the body. Rejects with `BodyTooLarge` if it is longer than `bytesMax`. */
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

  /** Handles a request, or answers a challenge, and returns the response. Refusals and errors are passed to `onError`. */
  async receive(request: UnreadRequest): Promise<WebhookResponse> {
    if (request.method !== 'POST') return responseOf(405, 'method_not_allowed', { Allow: 'POST' });
    try {
      const body = await request.readBody(this.#bodyBytesMax);
      const challenge = challengeIn(body);
      if (challenge !== null) return jsonOf(200, { challenge });
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
      // A 204 would lose the event.
      else if (claim !== 'done') throw new TypeError(`a store must not claim ${String(claim)}`);
    } catch (error) {
      // Even if the claim failed: the store may have saved it before its response was lost.
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

  /** Runs after the handler, so that a failed change does not cause older ones to be skipped. */
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

/** Returns the response to a refused request. The service shows it with the attempt, so it explains a wrong setup. */
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
  return jsonOf(status, { code }, headers);
}

function jsonOf(
  status: number,
  content: object,
  headers: Record<string, string> = {},
): WebhookResponse {
  const body = JSON.stringify(content);
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body };
}
