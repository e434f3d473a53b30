// What the search recognises and finds.
import type { Webhook } from '@agent-herald/client';
import { keyIdIn, pastedValue, withoutSecrets } from '../src/parts/pasted-text.ts';
import { matchingWebhooks } from '../src/parts/matching-webhooks.ts';
import { recognise } from '../src/shell/recognise.ts';
import { leadsOf, namedBy } from '../src/shell/leads.ts';

const tail = '_01m7zs6k2v5t9w8x4y7z0a1b2c';
const keyId = 'AbC012345678';
const secret = 'x'.repeat(49);

describe('a pasted value', () => {
  it.each([
    ['acme', 'acme'],
    ['"acme"', 'acme'],
    ['“acme”', 'acme'],
    ['`acme`,', 'acme'],
    ['"externalTenantId": "acme",', 'acme'],
    ['externalTenantId="acme gmbh"', 'acme gmbh'],
    ['acme "east"', 'acme "east"'],
    ['a:b', 'a:b'],
    ['""', ''],
  ])('in %j is %j', (text, value) => {
    expect(pastedValue(text)).toBe(value);
  });
});

describe('an API key', () => {
  it.each([
    [`ahk_${keyId}_${secret}`, `ahk_${keyId}`],
    [`x-api-key: ahk_${keyId}_${secret}\nmore`, `x-api-key: ahk_${keyId}\nmore`],
    [`ahk_${keyId}_`, `ahk_${keyId}`],
    [`ahk_${keyId}`, `ahk_${keyId}`],
  ])('in %j is reduced to its public part', (text, shown) => {
    expect(withoutSecrets(text)).toBe(shown);
  });

  it.each([
    [`ahk_${keyId}`, keyId],
    ['"ahk_A"', 'A'],
    ['ahk_', null],
    [`ahk_${keyId}9`, null],
    [keyId, null],
  ])('of the form %j has the ID %j', (text, id) => {
    expect(keyIdIn(text)).toBe(id);
  });
});

describe('the search takes', () => {
  const at = 'https://herald.example/tools/console/';
  const app = `app${tail}`;
  const page = `/apps/${app}/webhooks/whk${tail}?tab=settings`;
  const text = (value: string) => ({ kind: 'text', text: value });
  const event = { kind: 'event', uid: `evt${tail}` };
  it.each([
    [`https://herald.example/tools/console${page}`, { kind: 'page', path: page }],
    [`/tools/console${page}#x`, { kind: 'page', path: `${page}#x` }],
    ['/apps', { kind: 'page', path: '/apps' }],
    ['https://herald.example/tools/console/me', { kind: 'page', path: '/me' }],
    [
      `https://other.example/console/apps/${app}/events/evt${tail}`,
      { kind: 'named', named: event, appUid: app },
    ],
    [`"eventId":"EVT${tail.toUpperCase()}"`, { kind: 'named', named: event, appUid: null }],
    [`ahk_${keyId}_${secret}`, { kind: 'key', keyId }],
    [`evt${tail.slice(1)}`, text(`evt${tail.slice(1)}`)],
    ['https://hooks.example.com/apps', text('https://hooks.example.com/apps')],
    ['https://herald.example/apps', text('https://herald.example/apps')],
    ['//evil.example/apps', text('//evil.example/apps')],
    [' "acme gmbh" ', text('acme gmbh')],
    ['', text('')],
  ])('%j for what it is', (pasted, recognised) => {
    expect(recognise(pasted, at)).toEqual(recognised);
  });
});

describe('webhooks are found', () => {
  const webhook = (name: string | null, url: string) => ({ name, url }) as Webhook;
  const billing = webhook('Billing', 'https://hooks.example.com/billing');
  const index = webhook(null, 'https://hooks.example.com/index?key=1');
  const other = webhook('hooks', 'https://other.example:8443/');
  const all = [billing, index, other];
  it.each([
    ['bill', [billing]],
    ['BILLING', [billing]],
    ['hooks', [other, billing, index]],
    ['hooks.example.com', [billing, index]],
    ['https://hooks.example.com/index?key=1', [index, billing]],
    ['https://hooks.example.com/gone', [billing, index]],
    ['https://other.example:8443/x', [other]],
    ['https://other.example/', []],
    ['biling', []],
  ])('by %j', (text, found) => {
    expect(matchingWebhooks(all, text)).toEqual(found);
  });
});

const evt = 'evt_01m7zs6k2v5t9w8x4y7z0a1b2c';
const whk = 'whk_01m7zs6k2v5t9w8x4y7z0a1b2d';
const agt = 'agt_01m7zs6k2v5t9w8x4y7z0a1b2c';
const app = 'app_01m7zs6k2v5t9w8x4y7z0a1b2c';

describe('how the search reads an ID', () => {
  it.each([
    ['an event', evt, { kind: 'event', uid: evt }],
    ['a webhook', `  ${whk} `, { kind: 'webhook', uid: whk }],
    [
      'an event and a webhook: their delivery',
      `${evt}/${whk}`,
      { kind: 'delivery', eventId: evt, webhookUid: whk },
    ],
    ['an id in capitals', evt.toUpperCase(), { kind: 'event', uid: evt }],
    ['an agent, which is a resource', agt, { kind: 'resource', uid: agt }],
    ['anything else that the audit log may name', app, { kind: 'other', uid: app }],
    ['an id that is too short', evt.slice(0, -1), null],
    ['a word', 'webhooks', null],
  ])('%s', (_rule, text, named) => {
    expect(namedBy(text)).toEqual(named);
  });
});

describe('the search leads', () => {
  const tail = '_01m7zs6k2v5t9w8x4y7z0a1b2c';
  const log = '/apps/$appUid/audit-log';
  it.each([
    ['agt', [['/apps/$appUid/events', { resourceUid: `agt${tail}` }]]],
    ['job', [[log, { targetUid: `job${tail}` }]]],
    [
      'key',
      [
        [log, { targetUid: `key${tail}` }],
        [log, { actorUid: `key${tail}` }],
      ],
    ],
    ['whk', [['/apps/$appUid/webhooks/$webhookUid', undefined]]],
  ])('with the id of the kind %s', (prefix, places) => {
    const named = namedBy(prefix + tail);
    const leads = named === null ? [] : leadsOf(named, 'app_1');
    expect(leads.map((lead) => [lead.to, 'search' in lead ? lead.search : undefined])).toEqual(
      places,
    );
  });
});
