// JSON as strangers may send it: parsed, then walked for what would hurt further in.
import { AppError } from '../../lib/errors.ts';

const depthMax = 32;
const arrayItemsMax = 10_000;
const forbiddenKeys: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Parses JSON text. Throws `malformed_json` for bad syntax and for what is legal but unsafe: deep
 * nesting, huge arrays, keys that reach an object's prototype, strings that are not well-formed
 * Unicode (two of them would be stored as the same text) or hold U+0000, numbers that lose digits.
 */
export function parseStrictJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new AppError('malformed_json', 'the body is not valid JSON');
  }
  check(value, 1);
  return value;
}

function check(value: unknown, depth: number): void {
  if (typeof value === 'string') checkText(value);
  if (typeof value === 'number') checkNumber(value);
  if (typeof value !== 'object' || value === null) return;
  if (depth > depthMax) refuse(`the body must be nested at most ${depthMax} deep`);
  if (Array.isArray(value)) {
    if (value.length > arrayItemsMax) refuse(`an array must have at most ${arrayItemsMax} items`);
    for (const item of value) check(item, depth + 1);
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    if (forbiddenKeys.has(key)) refuse(`the key "${key}" is not allowed`);
    checkText(key);
    check(item, depth + 1);
  }
}

/** I-JSON (RFC 7493 §2.2): what a double cannot hold would reach the receiver as another number. */
function checkNumber(number: number): void {
  if (Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number)))
    return;
  refuse('a number is outside what JSON can carry exactly (±(2^53 − 1)); send it as a string');
}

function checkText(text: string): void {
  if (!text.isWellFormed()) refuse('a string is not well-formed Unicode (lone surrogate)');
  if (text.includes('\u0000')) refuse('a string holds the character U+0000');
}

function refuse(detail: string): never {
  throw new AppError('malformed_json', detail);
}
