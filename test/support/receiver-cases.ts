// The shared cases of all receivers (packages/receiver-cases/README.md).
import { readFileSync } from 'node:fs';

export interface ReceiverCase {
  name: string;
  scheme: 'standard' | 'body-only';
  secrets?: string[];
  publicKeys?: string[];
  webhookUid?: string;
  headers: Record<string, string>;
  bodyBase64?: string;
  bodyRepeat?: { before: string; text: string; times: number; after: string };
  nowSeconds: number;
  toleranceSeconds?: number;
  expect:
    | {
        ok: true;
        eventId: string;
        event: string;
        attempt: number | null;
        attemptsLeft: number | null;
        sequence: number | null;
        test: boolean;
      }
    | { ok: false; code: string };
}

interface CasesFile {
  standardWebhooks: {
    secret: string;
    id: string;
    timestamp: number;
    body: string;
    signature: string;
  }[];
  v1a: {
    seedHex: string;
    publicKey: string;
    id: string;
    timestamp: number;
    webhookUid: string;
    body: string;
    signature: string;
  }[];
  xWebhookSignature: { secret: string; body: string; header: string }[];
  deliveries: ReceiverCase[];
}

export const receiverCases = JSON.parse(
  readFileSync('packages/receiver-cases/deliveries.json', 'utf8'),
) as CasesFile;

/** A step of a handling case (packages/receiver-cases/README.md). */
export type HandlingStep =
  | {
      deliver: string;
      eventId: string;
      sequence?: number;
      header?: number;
      uid?: string;
      status?: number;
    }
  | { end: string; fails?: boolean; status: number }
  | { waitSeconds: number };

export const { cases: handlingCases, challenges: challengeCases } = JSON.parse(
  readFileSync('packages/receiver-cases/handling.json', 'utf8'),
) as {
  cases: { name: string; steps: HandlingStep[] }[];
  challenges: { name: string; body: string; challenge: string | null }[];
};

/** A step of a case of key sets (packages/receiver-cases/README.md). Null closes the connection. */
export type KeySetStep =
  | { serve: ServedKeySet | null }
  | { deliver: string; expect: string; fetches: number }
  | { respond: true }
  | { waitSeconds: number };

export interface ServedKeySet {
  status?: number;
  cacheControl?: string;
  bytes?: number;
  held?: boolean;
  keys?: unknown[];
  body?: string;
}

export const { cases: keySetCases } = JSON.parse(
  readFileSync('packages/receiver-cases/key-sets.json', 'utf8'),
) as { cases: { name: string; steps: KeySetStep[] }[] };

/** A case of options. Numbers that JSON cannot represent are decoded. */
export interface ReceiverOptionsCase {
  name: string;
  options: Record<string, unknown>;
  refused: { option: string; rule: string } | null;
}

export const { cases: optionsCases } = JSON.parse(
  readFileSync('packages/receiver-cases/options.json', 'utf8'),
  (_, value: unknown) =>
    typeof value === 'object' && value !== null && 'number' in value ? Number(value.number) : value,
) as { cases: ReceiverOptionsCase[] };

/** Returns the case with that name. */
export function caseNamed(name: string): ReceiverCase {
  const found = receiverCases.deliveries.find((each) => each.name === name);
  if (found === undefined) throw new Error(`no case is named ${name}`);
  return found;
}

export function bodyOf({ bodyBase64, bodyRepeat }: ReceiverCase): Buffer<ArrayBuffer> {
  if (bodyRepeat === undefined) return Buffer.from(bodyBase64 ?? '', 'base64');
  const { before, text, times, after } = bodyRepeat;
  return Buffer.from(before + text.repeat(times) + after);
}
