// Receives webhooks from agent-herald: verified, typed, and each event handled once.
export {
  type Claim,
  claimMs,
  type DeliveryStore,
  MemoryDeliveryStore,
  type MemoryDeliveryStoreOptions,
  rememberMs,
} from './delivery-store.ts';
export {
  isKnownEvent,
  resourceOf,
  type UnknownEvent,
  type UnknownEventName,
  type WebhookEvent,
} from './event.ts';
export type * from './events.ts';
export type { HeadersLike } from './headers.ts';
export {
  BodyTooLarge,
  Receiver,
  type ReceiverOptions,
  type UnreadRequest,
  type WebhookResponse,
} from './receiver.ts';
export { type RefusalCode, WebhookRefused } from './refusal.ts';
export type { Scheme } from './secrets.ts';
export { MemorySequenceStore, type SequenceStore } from './sequence-store.ts';
export { type Delivery, type SignedRequest, Verifier, type VerifierOptions } from './verifier.ts';
