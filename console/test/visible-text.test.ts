import { describe, expect, it } from 'vitest';
import { isTypedAs, visibleText } from '../src/parts/visible-text.ts';

describe('text from strangers', () => {
  it.each([
    ['markup stays as it is', '<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
    ['marks that turn the direction are named', 'a\u202Eb\u2066c', 'a⟨202E⟩b⟨2066⟩c'],
    ['sequences of terminals are named', '\u001B[31mred', '⟨001B⟩[31mred'],
    ['a null character is named', 'a\u0000b', 'a⟨0000⟩b'],
    ['characters without width are named', 'a\u200Bb\uFEFF', 'a⟨200B⟩b⟨FEFF⟩'],
    ['a carriage return is named', 'a\rb', 'a⟨000D⟩b'],
    ['tabs and lines stay', 'a\tb\nc', 'a\tb\nc'],
    [
      'whatever else shows nothing is named',
      'a\u00AD\u034F\u180E\u3164\u{E0061}\uFE0F\u200Db',
      'a⟨00AD⟩⟨034F⟩⟨180E⟩⟨3164⟩⟨E0061⟩⟨FE0F⟩⟨200D⟩b',
    ],
    ['an emoji keeps what makes it one', '❤\uFE0F 👩🏽\u200D🚀', '❤\uFE0F 👩🏽\u200D🚀'],
    ['other scripts stay', 'שלום مرحبا 你好 🎉', 'שלום مرحبا 你好 🎉'],
  ])('%s', (_rule, text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });
});

describe('a name that is typed to confirm', () => {
  it.each([
    { rule: 'counts as it is', typed: 'Billing', name: 'Billing', isTyped: true },
    { rule: 'counts without further spaces', typed: 'my app', name: ' my  app ', isTyped: true },
    { rule: 'counts as it is shown', typed: 'a⟨202E⟩b', name: 'a\u202Eb', isTyped: true },
    { rule: 'is not any other', typed: 'billing', name: 'Billing', isTyped: false },
  ])('$rule', ({ typed, name, isTyped }) => {
    expect(isTypedAs(typed, name)).toBe(isTyped);
  });
});
