import { describe, expect, it } from 'vitest';
import { visibleText } from '../src/parts/visible-text.ts';

describe('a text of others', () => {
  it.each([
    ['markup stays as it is', '<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
    ['marks that turn the direction are named', 'a\u202Eb\u2066c', 'a⟨202E⟩b⟨2066⟩c'],
    ['sequences of terminals are named', '\u001B[31mred', '⟨001B⟩[31mred'],
    ['a null character is named', 'a\u0000b', 'a⟨0000⟩b'],
    ['characters without width are named', 'a\u200Bb\uFEFF', 'a⟨200B⟩b⟨FEFF⟩'],
    ['a carriage return is named', 'a\rb', 'a⟨000D⟩b'],
    ['tabs and lines stay', 'a\tb\nc', 'a\tb\nc'],
    ['other scripts stay', 'שלום مرحبا 你好 🎉', 'שלום مرحبا 你好 🎉'],
  ])('%s', (_rule, text, shown) => {
    expect(visibleText(text)).toBe(shown);
  });
});
