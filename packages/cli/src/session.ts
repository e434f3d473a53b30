// What a command works with: its options, the client, and where it prints.
import Table from 'cli-table3';
import type { Command } from 'commander';
import { HeraldClient } from '../../client-ts/src/index.ts';
import { CommandError, exitCodes } from './exit-codes.ts';
import { chooseProfile, type Profile } from './profiles.ts';

export interface GlobalOptions {
  /** Undefined where none is named. */
  readonly profile?: string;
  readonly json?: true;
  readonly table?: true;
}

/** A column's title, and the cell of a row. */
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

/** Aborted once a command without an end of its own was ended, which is no failure. */
export const stopSignal = stop.signal;

/** For a command without an end: Ctrl-C ends it by `stopSignal`. It ends other commands as any process. */
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

  /** Prints a list: a table for people, else JSON. */
  list<Row>(rows: readonly Row[], columns: Columns<Row>): void {
    if (this.isJson) print(JSON.stringify(rows, null, 2));
    else printTable(rows, columns);
  }

  /** Prints one thing: its fields one a line for people, else JSON. */
  show(value: object): void {
    if (this.isJson) print(JSON.stringify(value, null, 2));
    else printFields(value);
  }

  /** Prints one line of an endless list. */
  line(value: object, text: string): void {
    print(this.isJson ? JSON.stringify(value) : harmless(text));
  }

  /** Says something beside the result. */
  note(text: string): void {
    process.stderr.write(`${text}\n`);
  }
}

/** Returns the client of a profile. An address or a key that cannot be one is a fault of the user. */
export function clientOf(profile: Profile): HeraldClient {
  try {
    return new HeraldClient(profile);
  } catch (error) {
    throw new CommandError((error as Error).message, exitCodes.usage);
  }
}

export function wantsJson({ json, table }: GlobalOptions): boolean {
  return json ?? (table ? false : !process.stdout.isTTY);
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

export function printTable<Row>(rows: readonly Row[], columns: Columns<Row>): void {
  if (rows.length === 0) return print('none');
  const table = new Table({ ...noBorders, head: Object.keys(columns) });
  for (const row of rows) table.push(Object.values(columns).map((cell) => textOf(cell(row))));
  print(table.toString().replaceAll(/[ \t]+$/gm, ''));
}

/** Prints what there is of a thing; JSON has the rest. */
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
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object'))
    return value.join(', ');
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return harmless(text).replaceAll('\n', ' ');
}

/** Names come from others: none of them moves the cursor or sets colours. */
function harmless(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, (control) => (control === '\n' ? control : '\ufffd'));
}

/** Takes some of a list. */
export async function take<Item>(list: AsyncIterable<Item>, count: number): Promise<Item[]> {
  const items: Item[] = [];
  if (count === 0) return items;
  for await (const item of list) if (items.push(item) >= count) break;
  return items;
}
