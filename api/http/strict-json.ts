import { AppError, type FaultCode, type FieldError } from '../../lib/platform/errors.ts';
import { httpLimits } from '../../lib/limits.ts';
import { pointerTo } from './json-pointer.ts';

const { jsonDepthMax, jsonArrayItemsMax, jsonObjectKeysMax } = httpLimits;
const keyShownMax = 80;
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Throws `malformed_json` for invalid syntax, and for valid JSON that would do harm later. */
export function parseStrictJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const detail = text.trim() === '' ? 'the body is empty' : 'the body is not valid JSON';
    throw new AppError('malformed_json', detail);
  }
  const walk = new Walk();
  walk.check(value);
  if (walk.keys !== writtenKeys(text).length) {
    const key = JSON.stringify(repeatedKey(text, value).slice(0, keyShownMax));
    throw new AppError('malformed_json', `an object has the same key twice: ${key}`);
  }
  const lost = walk.zeros === 0 ? undefined : lostNumber(text);
  if (lost !== undefined) {
    const number = lost.slice(0, keyShownMax);
    const detail = `a number is too small for a double: ${number}; send it as a string`;
    throw new AppError('malformed_json', detail);
  }
  return value;
}

// In valid JSON, a string is a key if and only if a colon follows.
const textOrKey = /"[^"\\]*(?:\\.[^"\\]*)*"(?:[ \t\r\n]*:)?/g;

/** Includes repeated keys. `JSON.parse` would keep only the last one (RFC 8259 §4). */
function writtenKeys(text: string): string[] {
  return (text.match(textOrKey) ?? []).filter((match) => match.endsWith(':'));
}

function repeatedKey(text: string, value: unknown): string {
  const counts = new Map<string, number>();
  for (const match of writtenKeys(text)) {
    const key = JSON.parse(match.slice(0, -1)) as string;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const pending = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    for (const [key, item] of Object.entries(next)) {
      if (!Array.isArray(next)) counts.set(key, (counts.get(key) ?? 0) - 1);
      pending.push(item);
    }
  }
  return [...counts].find(([, count]) => count > 0)?.[0] ?? '';
}

// Zeros are skipped, because a body can contain a hundred thousand.
const textOrOtherNumber = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:0\.0*)?[1-9][\d.eE+-]*/g;

/** Returns the first number other than 0 that `JSON.parse` turns into 0. */
function lostNumber(text: string): string | undefined {
  return text
    .match(textOrOtherNumber)
    ?.find((match) => !match.startsWith('"') && Number(match) === 0);
}

class Walk {
  keys = 0;
  zeros = 0;
  readonly #path: (string | number)[] = [];

  check(value: unknown): void {
    if (typeof value === 'string') this.#checkText(value);
    if (typeof value === 'number') this.#checkNumber(value);
    if (typeof value !== 'object' || value === null) return;
    if (this.#path.length >= jsonDepthMax) {
      this.#refuse('depth', `the body must be nested at most ${jsonDepthMax} levels deep`);
    }
    if (Array.isArray(value)) this.#checkArray(value);
    else this.#checkObject(value);
  }

  #checkArray(items: readonly unknown[]): void {
    if (items.length > jsonArrayItemsMax) {
      this.#refuse('maxItems', `an array must have at most ${jsonArrayItemsMax} items`);
    }
    for (const [index, item] of items.entries()) this.#checkInside(index, item);
  }

  #checkObject(object: object): void {
    const entries = Object.entries(object);
    if (entries.length > jsonObjectKeysMax) {
      this.#refuse('maxProperties', `an object must have at most ${jsonObjectKeysMax} keys`);
    }
    for (const [key, item] of entries) {
      this.keys += 1;
      if (forbiddenKeys.has(key)) this.#refuse('key', `the key "${key}" is not allowed`);
      this.#checkText(key);
      this.#checkInside(key, item);
    }
  }

  #checkInside(step: string | number, value: unknown): void {
    this.#path.push(step);
    this.check(value);
    this.#path.pop();
  }

  /** RFC 7493 §2.2: an integer that a double cannot represent would reach the receiver as a different number. */
  #checkNumber(number: number): void {
    if (number === 0) this.zeros += 1;
    if (Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number)))
      return;
    const detail = 'a number is outside the range that JSON carries exactly (±(2^53 − 1))';
    this.#refuse('number', `${detail}; send it as a string`);
  }

  #checkText(text: string): void {
    // Two different ill-formed texts would be stored as the same one.
    if (!text.isWellFormed()) {
      this.#refuse('unicode', 'a string is not well-formed Unicode (lone surrogate)');
    }
    if (text.includes('\u0000')) this.#refuse('nul', 'a string contains the character U+0000');
  }

  #refuse(code: FaultCode, detail: string): never {
    const errors: FieldError[] = [{ pointer: pointerTo(this.#path), code, detail }];
    throw new AppError('malformed_json', detail, { errors });
  }
}
