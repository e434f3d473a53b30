import { AppError, type FaultCode, type FieldError } from '../../lib/platform/errors.ts';
import { httpLimits } from '../../lib/limits.ts';
import { pointerTo } from './json-pointer.ts';
import { endOfString, outlineOf } from './json-text.ts';

const { jsonDepthMax, jsonArrayItemsMax, jsonObjectKeysMax, jsonNestedMax } = httpLimits;
const keyShownMax = 80;
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Throws `malformed_json` for invalid syntax, and for valid JSON that would do harm later. */
export function parseStrictJson(text: string): unknown {
  const { keys, nested } = outlineOf(text);
  if (nested > jsonNestedMax) {
    const detail = `the body must have at most ${jsonNestedMax} arrays and objects`;
    throw new AppError('malformed_json', detail);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const detail = text.trim() === '' ? 'the body is empty' : 'the body is not valid JSON';
    throw new AppError('malformed_json', detail);
  }
  const walk = new Walk(text.includes('\\u'));
  walk.check(value);
  // `JSON.parse` keeps only the last of repeated keys (RFC 8259 §4).
  if (walk.keys !== keys) {
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

function repeatedKey(text: string, value: unknown): string {
  const counts = new Map<string, number>();
  for (const key of writtenKeys(text)) counts.set(key, (counts.get(key) ?? 0) + 1);
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

// The string before each colon that is outside of strings.
function* writtenKeys(text: string): Generator<string> {
  let last = '';
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === ':') yield JSON.parse(last) as string;
    if (text[at] !== '"') continue;
    const end = endOfString(text, at);
    last = text.slice(at, end + 1);
    at = end;
  }
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
  // Decoded UTF-8 has no lone surrogates, and valid JSON no control characters, unless they are escaped.
  readonly #hasEscapes: boolean;

  constructor(hasEscapes: boolean) {
    this.#hasEscapes = hasEscapes;
  }

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
    const depth = this.#path.length;
    for (let index = 0; index < items.length; index += 1) {
      this.#path[depth] = index;
      this.check(items[index]);
    }
    this.#path.length = depth;
  }

  #checkObject(object: object): void {
    const keys = Object.keys(object);
    if (keys.length > jsonObjectKeysMax) {
      this.#refuse('maxProperties', `an object must have at most ${jsonObjectKeysMax} keys`);
    }
    this.keys += keys.length;
    const depth = this.#path.length;
    for (const key of keys) {
      if (forbiddenKeys.has(key)) this.#refuse('key', `the key "${key}" is not allowed`);
      this.#checkText(key);
      this.#path[depth] = key;
      this.check((object as Record<string, unknown>)[key]);
      this.#path.length = depth;
    }
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
    if (!this.#hasEscapes) return;
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
