import { describe, expect, it } from 'vitest';
import { leadsOf, namedBy } from '../src/shell/leads.ts';
import { pagesOfApp } from '../src/shell/pages.ts';

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
    ['ctx', [['/apps/$appUid/events', { resourceUid: `ctx${tail}` }]]],
    ['cfl', [['/apps/$appUid/events', { resourceUid: `cfl${tail}` }]]],
    ['job', [[log, { targetUid: `job${tail}` }]]],
    [
      'key',
      [
        [log, { targetUid: `key${tail}` }],
        [log, { actorUid: `key${tail}` }],
      ],
    ],
    [
      'adm',
      [
        [log, { targetUid: `adm${tail}` }],
        [log, { actorUid: `adm${tail}` }],
      ],
    ],
    ['app', [[log, { targetUid: `app${tail}` }]]],
    ['whk', [['/apps/$appUid/webhooks/$webhookUid', undefined]]],
  ])('with the id of the kind %s', (prefix, places) => {
    const named = namedBy(prefix + tail);
    const leads = named === null ? [] : leadsOf(named, 'app_1');
    expect(leads.map((lead) => [lead.to, 'search' in lead ? lead.search : undefined])).toEqual(
      places,
    );
  });
});

it('each page has its own letter, different from the one that starts a shortcut', () => {
  const letters = pagesOfApp.map(({ letter }) => letter);
  expect(new Set(letters).size).toBe(letters.length);
  expect(letters).not.toContain('g');
});
