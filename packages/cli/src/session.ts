// The context of a command: its options, the client and its output.
import Table from 'cli-table3';
import type { Command } from 'commander';
import { HeraldClient } from '../../client-ts/src/index.ts';
import { CommandError, exitCodes } from './exit-codes.ts';
import { chooseProfile, type Profile } from './profiles.ts';
import { printable } from './printable.ts';
import { fetchByRoute, routeTo } from './proxy.ts';

export interface GlobalOptions {
  /** Undefined if no profile is named. */
  readonly profile?: string;
  readonly json?: true;
  readonly table?: true;
}

/** For each column title, the cell of a row. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => unknown>>;

const noBorders = {
  chars: {
    top: '',
    'top-mid': '',
    'top-left': '',
    'top-right': '',
    bottom: '',
    'bottom-mid': '',
    'bottom-left': '',
    'bottom-right': '',
    left: '',
    'left-mid': '',
    mid: '',
    'mid-mid': '',
    right: '',
    'right-mid': '',
    middle: '  ',
  },
  style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
};

const stop = new AbortController();

/** Aborted when the user stops an endless command. That is not a failure. */
export const stopSignal = stop.signal;

/** Makes Ctrl-C abort `stopSignal`, for endless commands. Without this call, it kills the process as usual. */
export function endsWhenStopped(): AbortSignal {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  return stopSignal;
}

export class Session {
  readonly isJson: boolean;
  readonly profile: Profile;
  readonly client: HeraldClient;

  constructor(command: Command) {
    const options = command.optsWithGlobals<GlobalOptions>();
    this.isJson = wantsJson(options);
    this.profile = chooseProfile(options.profile);
    this.client = clientOf(this.profile);
  }

  /** Prints a list: a table for people, or else JSON. */
  list<Row>(rows: readonly Row[], columns: Columns<Row>): void {
    if (this.isJson) print(JSON.stringify(rows, null, 2));
    else printTable(rows, columns);
  }

  /** Prints one object: a field per line for people, or else JSON. */
  show(value: object): void {
    if (this.isJson) print(JSON.stringify(value, null, 2));
    else printFields(value);
  }

  /** Prints one line of an endless list. */
  line(value: object, text: string): void {
    print(this.isJson ? JSON.stringify(value) : printable(text));
  }

  /** Prints a remark to standard error, separate from the result. */
  note(text: string): void {
    process.stderr.write(`${printable(text)}\n`);
  }
}

/** Returns the client of a profile. An invalid address or key is a usage error. */
export function clientOf(profile: Profile): HeraldClient {
  try {
    const client = new HeraldClient({ ...profile, fetch: fetchByRoute });
    // Reports an unusable proxy before the first call.
    routeTo(profile.url);
    return client;
  } catch (error) {
    throw new CommandError((error as Error).message, exitCodes.usage);
  }
}

export function wantsJson({ json, table }: GlobalOptions): boolean {
  return json ?? (table ? false : !process.stdout.isTTY);
}

export function print(text: string): void {
  process.stdout.write(`${process.stdout.isTTY ? printable(text) : text}\n`);
}

export function printTable<Row>(rows: readonly Row[], columns: Columns<Row>): void {
  if (rows.length === 0) return print('none');
  const table = new Table({ ...noBorders, head: Object.keys(columns) });
  for (const row of rows) table.push(Object.values(columns).map((cell) => textOf(cell(row))));
  print(table.toString().replaceAll(/[ \t]+$/gm, ''));
}

/** Prints the fields that are set. JSON has the others, too. */
export function printFields(value: object): void {
  const table = new Table(noBorders);
  for (const [name, field] of Object.entries(value))
    if (!isEmpty(field)) table.push([name, textOf(field)]);
  print(table.toString().replaceAll(/[ \t]+$/gm, ''));
}

function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  const isList = Array.isArray(value) && value.every((item) => typeof item !== 'object');
  const text = isList ? value.join(', ') : value;
  return printable(typeof text === 'string' ? text : JSON.stringify(text)).replaceAll('\n', ' ');
}

/** Returns the first items of a list. */
export async function take<Item>(list: AsyncIterable<Item>, count: number): Promise<Item[]> {
  const items: Item[] = [];
  if (count === 0) return items;
  for await (const item of list) if (items.push(item) >= count) break;
  return items;
}
