// The credentials that a URL allows, and those that may move to another URL.
import { expect, test } from 'vitest';
import { checkCarrier, checkMove } from '../../../api/webhooks/credential-fields.ts';
import type { WebhookDocument } from '../../../lib/model/webhook.ts';
import { AppError } from '../../../lib/platform/errors.ts';

const secret = { keyId: 'k1', sealed: '' };
const facts = { subject: '', issuer: '', fingerprint256: '', notAfter: new Date() };
type Carried = Pick<WebhookDocument, 'headers' | 'auth' | 'tls'>;
const all: Carried = {
  headers: { names: [], secret },
  auth: { type: 'basic', secret },
  tls: { ...facts, secret },
};
const none: Carried = { headers: null, auth: null, tls: null };

/** Returns the pointers and codes of refusals. */
function faultsOf(check: () => void): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return (error.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
  }
}

test.each([
  ['https://a.example/', all, []],
  ['http://a.example/', all, ['#/tls needs_https']],
  ['http://a.example/', { ...all, tls: null }, []],
  ['mailto:ada@a.example', all, ['#/headers needs_http', '#/auth needs_http', '#/tls needs_https']],
  ['mailto:ada@a.example', none, []],
] as const)('%s carries %j but for %j', (url, fields, faults) => {
  expect(faultsOf(() => checkCarrier({ url, ...fields }))).toEqual(faults);
});

const stay = ['#/headers other_url', '#/auth other_url'];

test.each([
  ['https://a.example/hook', {}, []],
  ['https://a.example/other', {}, stay],
  ['https://a.example/hook?to=other', {}, stay],
  ['https://a.example:8443/', {}, stay],
  ['http://a.example/', {}, stay],
  ['https://b.a.example/', {}, stay],
  ['https://b.example/', { headers: null }, ['#/auth other_url']],
  ['https://b.example/', { headers: all.headers, auth: null }, []],
])('to %s with %j only what is set again moves', (url, again, faults) => {
  const before = { url: 'https://a.example/hook', ...all };
  expect(faultsOf(() => checkMove(before, { url, ...again }))).toEqual(faults);
  expect(faultsOf(() => checkMove({ ...before, ...none }, { url }))).toEqual([]);
});
