// Parsers of option values. Their errors say what is allowed.
import { InvalidArgumentError, Option } from 'commander';
import {
  type ResourceEventName,
  resourceEventNames,
  type SubscribedEventName,
} from '../../client-ts/src/index.ts';
import { CommandError, exitCodes } from './exit-codes.ts';

export function isResourceEvent(name: SubscribedEventName): name is ResourceEventName {
  return resourceEventNames.some((each) => each === name);
}

const unitsMs: Readonly<Record<string, number>> = { s: 1e3, m: 60e3, h: 3_600e3, d: 86_400e3 };

const timeShape = /^(\d{4}-\d\d-\d\d)T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** Parses a time in ISO 8601 with an offset, as in the API, or a time ago (`30s`, `10m`, `2h`, `3d`). */
export function readTime(text: string): string {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const atMs =
    count === undefined ? parseTime(text) : Date.now() - Number(count) * (unitsMs[unit] ?? 0);
  const time = Number.isNaN(atMs) ? '' : new Date(atMs).toISOString();
  // Years of more than four digits have a sign.
  if (/^\d/.test(time)) return time;
  throw new InvalidArgumentError('Use ISO 8601, or 30s, 10m, 2h or 3d for that long ago.');
}

/** `Date` alone would accept `5`, times without an offset, and February 30 (as March 2). */
function parseTime(text: string): number {
  const day = timeShape.exec(text)?.[1] ?? '';
  const dayMs = Date.parse(day);
  const isDay = !Number.isNaN(dayMs) && new Date(dayMs).toISOString().startsWith(day);
  return isDay ? Date.parse(text) : Number.NaN;
}

/** Rejects a uid that would make the path of another call. */
export function readUid(text: string): string {
  if (!/^\s*\.{0,2}\s*$/.test(text)) return text;
  throw new InvalidArgumentError('It must not be empty or only dots.');
}

/** Parses a whole number of at least 1. */
export function readCount(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text))
    throw new InvalidArgumentError('Use a whole number from 1 to 9999999.');
  return Number(text);
}

export function readUrl(text: string): string {
  // `localhost:4000/hook` means http.
  const url = parseUrl(text.includes('://') ? text : `http://${text}`);
  const isUsable =
    ['http:', 'https:'].includes(url?.protocol ?? '') &&
    url?.username === '' &&
    url.password === '';
  // The parser would drop some of these characters and encode others.
  if (url !== null && isUsable && !/[\p{C}\p{Z}]/u.test(text)) return url.href;
  const hint = 'Use a URL such as http://localhost:4000/hook';
  // The error of an invalid argument shows it, perhaps with a password.
  if (text.includes('@')) throw new CommandError(`${hint}, without a user`, exitCodes.usage);
  throw new InvalidArgumentError(`${hint}.`);
}

/** Rejects an empty text, which would end a secret immediately, and numbers too large for JSON. */
export function readSeconds(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Use a whole number of seconds, up to 999999999.');
}

export const sinceOption = () =>
  new Option(
    '--since <time>',
    'start of the period: ISO 8601, or 10m, 2h, 3d for that long ago',
  ).argParser(readTime);
export const untilOption = () =>
  new Option('--until <time>', 'end of the period').argParser(readTime);
export const limitOption = () =>
  new Option('--limit <count>', 'maximum number of rows').argParser(readCount).default(20);
export const tenantOption = () =>
  new Option('--tenant <id>', 'only this tenant (externalTenantId)');
export const webhookOption = () => new Option('--webhook <uid>', 'only this webhook');

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}
