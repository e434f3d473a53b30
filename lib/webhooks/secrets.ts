// The sealed fields of a webhook: its signing secrets, and the credentials for its receiver.
import type { ClientCertificate } from '../egress/client-certificate.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type {
  CertificateFacts,
  SealedAuth,
  SealedHeaders,
  SealedTls,
  WebhookDocument,
} from '../model/webhook.ts';
import type { CertificateText } from './client-certificate-facts.ts';

type SealedField = 'secret' | 'headers' | 'auth' | 'tls';

export function secretLocation(
  webhook: { appUid: string; _id: string },
  field: SealedField = 'secret',
): string {
  return `webhooks/${webhook.appUid}/${webhook._id}/${field}`;
}

export interface SigningSecrets {
  /** Signs `X-Webhook-Signature`, which holds one signature. */
  body: string;
  /** Sign `webhook-signature`; none if the webhook has only `v1a`. */
  standard: string[];
}

/** Returns two secrets during a rotation (docs/webhooks.md, "Rotating the secret"). */
export function openSecrets(
  box: SecretBox,
  webhook: Pick<WebhookDocument, '_id' | 'appUid' | 'secret' | 'previousSecret' | 'signatures'>,
  now: Date,
): SigningSecrets {
  const signs = webhook.signatures.includes('v1');
  const location = secretLocation(webhook);
  const current = box.open(webhook.secret, location);
  const previous = webhook.previousSecret;
  if (previous === null || previous.until <= now)
    return { body: current, standard: signs ? [current] : [] };
  const old = box.open(previous.secret, location);
  return { body: previous.promoted ? current : old, standard: signs ? [current, old] : [] };
}

/** Returns the secret and the one before it, even if that no longer signs. */
export function allSecrets(
  box: SecretBox,
  webhook: WebhookKey & Pick<WebhookDocument, 'secret' | 'previousSecret'>,
): string[] {
  const { secret, previousSecret } = webhook;
  const sealed = previousSecret === null ? [secret] : [secret, previousSecret.secret];
  return sealed.map((each) => box.open(each, secretLocation(webhook)));
}

type WebhookKey = Pick<WebhookDocument, '_id' | 'appUid'>;

export type Auth =
  { type: 'basic'; username: string; password: string } | { type: 'bearer'; token: string };

export function sealHeaders(
  box: SecretBox,
  webhook: WebhookKey,
  headers: Readonly<Record<string, string>>,
): SealedHeaders {
  const secret = box.seal(JSON.stringify(headers), secretLocation(webhook, 'headers'));
  return { names: Object.keys(headers), secret };
}

export function sealAuth(box: SecretBox, webhook: WebhookKey, auth: Auth): SealedAuth {
  const secret = box.seal(authorizationOf(auth), secretLocation(webhook, 'auth'));
  return { type: auth.type, secret };
}

function authorizationOf(auth: Auth): string {
  if (auth.type === 'bearer') return `Bearer ${auth.token}`;
  const credentials = Buffer.from(`${auth.username}:${auth.password}`, 'utf8');
  return `Basic ${credentials.toString('base64')}`;
}

export function sealTls(
  box: SecretBox,
  webhook: WebhookKey,
  { text, facts }: { text: CertificateText; facts: CertificateFacts },
): SealedTls {
  return { ...facts, secret: box.seal(JSON.stringify(text), secretLocation(webhook, 'tls')) };
}

interface Credentials {
  headers: Record<string, string>;
  clientCertificate: ClientCertificate | null;
  /** Texts to hide if the receiver repeats them. */
  secretTexts: string[];
}

/** Throws if the key ring cannot open them, which is a fault of our own. */
export function openCredentials(
  box: SecretBox,
  webhook: WebhookKey & Pick<WebhookDocument, 'headers' | 'auth' | 'tls'>,
): Credentials {
  const { headers, auth, tls } = webhook;
  const own =
    headers === null
      ? {}
      : (JSON.parse(box.open(headers.secret, secretLocation(webhook, 'headers'))) as Record<
          string,
          string
        >);
  const authorization = auth && box.open(auth.secret, secretLocation(webhook, 'auth'));
  return {
    headers: { ...own, ...(authorization === null ? {} : { Authorization: authorization }) },
    clientCertificate: tls === null ? null : openTls(box, webhook, tls),
    secretTexts: [
      ...Object.values(own),
      ...(authorization === null ? [] : secretTextsOf(authorization)),
    ],
  };
}

// Returns the credentials without the scheme; for basic auth both encoded and decoded, as a receiver may repeat either.
function secretTextsOf(authorization: string): string[] {
  const [scheme, text = ''] = authorization.split(' ');
  if (scheme !== 'Basic') return [text];
  const plain = Buffer.from(text, 'base64').toString('utf8');
  const colonAt = plain.indexOf(':');
  return [text, plain, plain.slice(0, colonAt), plain.slice(colonAt + 1)];
}

function openTls(box: SecretBox, webhook: WebhookKey, tls: SealedTls): ClientCertificate {
  const text = JSON.parse(box.open(tls.secret, secretLocation(webhook, 'tls'))) as CertificateText;
  return { ...text, owner: `${webhook._id} ${tls.fingerprint256}` };
}
