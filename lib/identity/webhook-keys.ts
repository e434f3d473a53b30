// The Ed25519 keys that sign the webhooks of each application (docs/webhooks.md, "Without a shared secret").
import type { KeyObject } from 'node:crypto';
import { webhookKeys } from './key-owner.ts';
import { createKeyRing, type KeyRing, type KeyRingPorts } from './key-ring.ts';

export type WebhookKeys = (appUid: string) => KeyRing<KeyObject>;

// With more applications at the same time, keys are read more often than once a minute.
const ringsMax = 1_000;

/** Returns the key ring of an application in this process. Those used last stay in memory. */
export function createWebhookKeys(ports: KeyRingPorts): WebhookKeys {
  const rings = new Map<string, KeyRing<KeyObject>>();
  return (appUid) => {
    const ring = rings.get(appUid) ?? createKeyRing(ports, webhookKeys(ports.store, appUid));
    // A Map keeps the order of insertion, so the first is the one unused for longest.
    rings.delete(appUid);
    rings.set(appUid, ring);
    const [oldest] = rings.keys();
    if (rings.size > ringsMax && oldest !== undefined) rings.delete(oldest);
    return ring;
  };
}
