// The fields of a webhook that are encrypted on save and never shown again: `headers`, `auth`, `tls`.
import type { SchemaObject } from 'ajv';
import type { FieldError } from '../../lib/platform/errors.ts';
import { limits } from '../../lib/limits.ts';
import { authTypes, type StoredWebhook, type WebhookDocument } from '../../lib/model/webhook.ts';
import {
  headerFaults,
  headerName,
  headerNameCharactersMax,
  headerValue,
} from '../../lib/webhooks/custom-headers.ts';
import {
  CertificateFault,
  type CertificateText,
  readClientCertificate,
} from '../../lib/webhooks/client-certificate-facts.ts';
import { type Auth, sealAuth, sealHeaders, sealTls } from '../../lib/webhooks/secrets.ts';
import type { ApiContext } from '../context.ts';
import { nameAt, pointerTo } from '../http/json-pointer.ts';
import { controlCharacters, lineField } from '../http/text-fields.ts';
import { invalidRequest } from '../http/validate.ts';

export interface CredentialFields {
  headers?: Record<string, string> | null;
  auth?: GivenAuth | null;
  tls?: CertificateText | null;
}

interface GivenAuth {
  type: (typeof authTypes)[number];
  username?: string;
  password?: string;
  token?: string;
}

const { usernameCharactersMax, receiverPasswordCharactersMax, bearerTokenCharactersMax } = limits;

const usernameField = lineField(usernameCharactersMax);
const passwordField = { type: 'string', maxLength: receiverPasswordCharactersMax, format: 'line' };
const tokenField = {
  type: 'string',
  minLength: 1,
  maxLength: bearerTokenCharactersMax,
  format: 'token',
};

function fieldsOf(type: GivenAuth['type'], fields: Record<string, SchemaObject>): SchemaObject {
  return {
    title: `${type}.auth`,
    type: 'object',
    additionalProperties: false,
    required: ['type', ...Object.keys(fields)],
    properties: { type: { const: type }, ...fields },
  };
}

export const credentialProperties = {
  headers: {
    type: ['object', 'null'],
    minProperties: 1,
    maxProperties: limits.headersPerWebhookMax,
    additionalProperties: { type: 'string' },
    published: {
      propertyNames: { maxLength: headerNameCharactersMax, pattern: headerName.source },
      additionalProperties: { type: 'string', pattern: headerValue.source },
    },
  },
  auth: {
    type: ['object', 'null'],
    additionalProperties: false,
    required: ['type'],
    properties: {
      type: { type: 'string', enum: [...authTypes] },
      username: usernameField,
      password: passwordField,
      token: tokenField,
    },
    published: {
      type: undefined,
      additionalProperties: undefined,
      required: undefined,
      properties: undefined,
      anyOf: [
        fieldsOf('basic', {
          username: { ...usernameField, format: undefined, pattern: `^[^:${controlCharacters}]*$` },
          password: passwordField,
        }),
        fieldsOf('bearer', { token: tokenField }),
        { type: 'null' },
      ],
    },
  },
  tls: {
    type: ['object', 'null'],
    additionalProperties: false,
    required: ['certificate', 'key'],
    properties: {
      certificate: pemField(limits.clientCertificateCharactersMax),
      key: pemField(limits.clientKeyCharactersMax),
    },
  },
};

function pemField(charactersMax: number) {
  return { type: 'string', minLength: 1, maxLength: charactersMax, format: 'text' };
}

type Sealed = Partial<Pick<WebhookDocument, 'headers' | 'auth' | 'tls'>>;

/** Returns the fields that a body sets, in stored form for this webhook. Throws `invalid_request`. */
export function sealCredentials(
  { secretBox, clock }: Pick<ApiContext, 'secretBox' | 'clock'>,
  { headers, auth, tls }: CredentialFields,
  webhook: Pick<StoredWebhook, '_id' | 'appUid'>,
): Sealed {
  const sealed: Sealed = {};
  if (headers !== undefined) {
    if (headers !== null) checkHeaders(headers);
    sealed.headers = headers && sealHeaders(secretBox, webhook, headers);
  }
  if (auth !== undefined) {
    sealed.auth = auth && sealAuth(secretBox, webhook, checkAuth(auth));
  }
  if (tls !== undefined) {
    sealed.tls = tls && sealTls(secretBox, webhook, checkCertificate(tls, clock.now()));
  }
  return sealed;
}

function checkHeaders(headers: Record<string, string>): void {
  const errors = headerFaults(headers).map(({ name, code, detail }): FieldError => {
    const steps = name === null ? ['headers'] : ['headers', name];
    const pointer = pointerTo(steps);
    return { pointer, code, detail: `${nameAt(pointer)} ${detail}` };
  });
  if (errors.length > 0) throw invalidRequest(errors);
}

const fieldsOfType = { basic: ['username', 'password'], bearer: ['token'] } as const;
const authFields = ['username', 'password', 'token'] as const;

function checkAuth(auth: GivenAuth): Auth {
  const { type, username, password, token } = auth;
  const wanted: readonly string[] = fieldsOfType[type];
  const errors = authFields.flatMap((field): FieldError[] => {
    const isGiven = auth[field] !== undefined;
    if (isGiven === wanted.includes(field)) return [];
    const detail = `auth.${field} ${isGiven ? 'does not belong to' : 'is required by'} ${type}`;
    return [{ pointer: `#/auth/${field}`, code: isGiven ? 'not_of_type' : 'required', detail }];
  });
  if (username?.includes(':') === true) {
    const detail = 'auth.username must not contain a colon';
    errors.push({ pointer: '#/auth/username', code: 'colon', detail });
  }
  if (errors.length > 0) throw invalidRequest(errors);
  return token === undefined
    ? { type: 'basic', username: username ?? '', password: password ?? '' }
    : { type: 'bearer', token };
}

function checkCertificate(
  given: CertificateText,
  now: Date,
): ReturnType<typeof readClientCertificate> {
  try {
    return readClientCertificate(given, now);
  } catch (error) {
    if (!(error instanceof CertificateFault)) throw error;
    const detail = `tls.${error.field} ${error.message}`;
    throw invalidRequest([{ pointer: `#/tls/${error.field}`, code: error.code, detail }]);
  }
}

type Target = Pick<WebhookDocument, 'url' | 'headers' | 'auth' | 'tls'>;

/** Rejects what the URL cannot carry: anything for mail, a client certificate without TLS. Throws `invalid_request`. */
export function checkCarrier({ url = '', ...fields }: Partial<Target>): void {
  const errors = (['headers', 'auth', 'tls'] as const).flatMap((field): FieldError[] => {
    const scheme = field === 'tls' ? 'https' : 'http';
    if (!fields[field] || url.startsWith(scheme)) return [];
    const detail = `${field} needs a url that begins with ${scheme}; set it to null for any other url`;
    const code = scheme === 'https' ? 'needs_https' : 'needs_http';
    return [{ pointer: `#/${field}`, code, detail }];
  });
  if (errors.length > 0) throw invalidRequest(errors);
}

/**
 * Refuses to send stored credentials to a new URL. Otherwise anyone who can change a webhook, without knowing them,
 * could send them to a receiver of their own, even on a shared host (ADR 25). Throws `invalid_request`.
 */
export function checkMove(before: Target, written: Partial<Target>): void {
  if (written.url === undefined || written.url === before.url) return;
  const errors = (['headers', 'auth'] as const).flatMap((field): FieldError[] => {
    if (before[field] === null || written[field] !== undefined) return [];
    const detail = `${field} must be sent again, or set to null, when url changes`;
    return [{ pointer: `#/${field}`, code: 'other_url', detail }];
  });
  if (errors.length > 0) throw invalidRequest(errors);
}
