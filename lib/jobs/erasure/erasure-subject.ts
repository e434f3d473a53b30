// The subject of an erasure: a tenant, or texts that payloads have as values.
import type { ResourceData } from '../../model/event-payload.ts';
import type { ErasureSubject } from '../../model/job.ts';

/** Adds the Unicode normal forms NFC and NFD, since `data` may contain either. */
export function inBothForms(texts: readonly string[]): string[] {
  return [
    ...new Set(texts.flatMap((text) => [text, text.normalize('NFC'), text.normalize('NFD')])),
  ];
}

// Callers may write JSON in any form: with unneeded escapes, and numbers such as 7.0, 7e0 and -0.
const oddEscape = String.raw`\\[u/]`;
const oddNumber = String.raw`-0|-?\d+(?:\.\d+(?:[eE][+-]?\d+)?|[eE][+-]?\d+)`;

/** Returns a pattern that matches every body that has one of the texts as a value, and few others. */
export function patternOf(texts: readonly string[]): string {
  const strings = texts.map((text) => escapeForPattern(JSON.stringify(text)));
  const numbers = texts.filter((text) => String(Number(text)) === text).map(escapeForPattern);
  const spelled = numbers.length === 0 ? [] : [...numbers, oddNumber];
  const values = spelled.map((number) => String.raw`[:,[]\s*(?:${number})\s*[,}\]]`);
  return [...strings, oddEscape, ...values].join('|');
}

function escapeForPattern(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
}

/** Returns a check whether data is of one of the tenants, or has one of the texts as a whole value at any depth. */
export function subjectCheck(subjects: readonly ErasureSubject[]): (data: ResourceData) => boolean {
  const tenants = new Set<string>();
  const mentions: string[] = [];
  for (const subject of subjects) {
    if ('externalTenantId' in subject) tenants.add(subject.externalTenantId);
    else mentions.push(...subject.mentions);
  }
  const texts = inBothForms(mentions);
  return (data) =>
    tenants.has(data.externalTenantId) || (texts.length > 0 && hasValue(data, texts));
}

/** Checks whether one of the texts is a whole value, string or number, at any depth of `data`. */
export function hasValue(data: unknown, texts: readonly string[]): boolean {
  // Iterative, because a payload may be nested deeper than the stack.
  const values: unknown[] = [data];
  for (let value = values.pop(); value !== undefined; value = values.pop()) {
    if (typeof value === 'string' && texts.includes(value)) return true;
    if (typeof value === 'number' && texts.includes(String(value))) return true;
    if (typeof value !== 'object' || value === null) continue;
    for (const inner of Object.values(value)) values.push(inner);
  }
  return false;
}
