import { describe, expect, it } from 'vitest';
import { namedBy, pagesOfApp } from '../src/shell/pages.ts';

const evt = 'evt_01m7zs6k2v5t9w8x4y7z0a1b2c';
const whk = 'whk_01m7zs6k2v5t9w8x4y7z0a1b2d';

describe('what the palette makes of an id', () => {
  it.each([
    ['an event', evt, { kind: 'event', uid: evt }],
    ['a webhook', `  ${whk} `, { kind: 'webhook', uid: whk }],
    [
      'an event and a webhook: their delivery',
      `${evt}/${whk}`,
      { kind: 'delivery', eventId: evt, webhookUid: whk },
    ],
    ['an id in capitals', evt.toUpperCase(), { kind: 'event', uid: evt }],
    [
      'anything else that the audit log may name',
      'key_01m7zs6k2v5t9w8x4y7z0a1b2c',
      { kind: 'audit', uid: 'key_01m7zs6k2v5t9w8x4y7z0a1b2c' },
    ],
    ['an id that is too short', evt.slice(0, -1), null],
    ['a word', 'webhooks', null],
  ])('%s', (_rule, text, named) => {
    expect(namedBy(text)).toEqual(named);
  });
});

it('each page has a letter of its own, which is not that which begins a shortcut', () => {
  const letters = pagesOfApp.map(({ letter }) => letter);
  expect(new Set(letters).size).toBe(letters.length);
  expect(letters).not.toContain('g');
});
