import { posix } from 'node:path';
import type { CodeFile } from './code-file.ts';
import { importCycles, reachedFrom } from './import-graph.ts';
import type { ProseLine } from './prose.ts';

export interface Longest {
  lines: number;
  where: string;
}

export interface Sizes {
  files: number;
  lines: number;
  commentShare: number;
  medianFile: number;
  longestFile: Longest | null;
  functions: number;
  medianFunction: number;
  longestFunction: Longest | null;
}

/** The code that an attempt at a delivery runs. */
interface Reach {
  entry: string;
  rooms: string[];
  files: string[];
  lines: number;
}

export interface Metrics {
  rooms: Record<string, Sizes>;
  /** What ships. */
  production: Sizes;
  /** Beside it the tools of `dev`. */
  allButTests: Sizes;
  reach: Reach | null;
  /** The files of each import cycle, type imports counted. */
  cycles: string[][];
  deliveryStates: string[];
  workflows: string[];
  activities: string[];
  workflowIdSchemes: string[];
  prose: { longest: ProseLine | null; wide: number };
}

/** Where an attempt begins and which rooms belong to it; found by the function's name by default. */
interface ReachOptions {
  entry?: string | undefined;
  rooms?: readonly string[] | undefined;
}

const attemptFunction = 'attemptDelivery';
const deliveryRooms = ['deliveries', 'egress', 'events', 'mongo', 'webhooks'].map(
  (name) => `lib/${name}`,
);
const dividedRooms = ['lib', 'dev'];
const toolRooms = ['test', 'dev'];
const proseCharactersMax = 120;

export function measure(
  files: readonly CodeFile[],
  prose: readonly ProseLine[],
  options: ReachOptions = {},
): Metrics {
  const rooms = [...new Set(files.map((file) => roomOf(file.path)))].toSorted();
  const filesIn = (room: string) => files.filter((file) => roomOf(file.path) === room);
  return {
    rooms: Object.fromEntries(rooms.map((room) => [room, measureSizes(filesIn(room))])),
    production: measureSizes(files.filter(({ path }) => !isBelow(toolRooms, path))),
    allButTests: measureSizes(files.filter(({ path }) => !isBelow(['test'], path))),
    reach: measureReach(files, options),
    cycles: importCycles(files),
    deliveryStates: files
      .filter(({ path }) => roomOf(path) === 'lib/model')
      .flatMap(({ lists }) => lists['deliveryStates'] ?? []),
    workflows: files.find(({ path }) => path === 'workflows/index.ts')?.passedOn ?? [],
    activities: files.flatMap(({ interfaces }) => interfaces['DeliveryActivities'] ?? []),
    workflowIdSchemes: workflowIdSchemes(files),
    prose: {
      longest: prose.toSorted((a, b) => b.characters - a.characters)[0] ?? null,
      wide: prose.filter(({ characters }) => characters > proseCharactersMax).length,
    },
  };
}

/** Returns the room of a file: its top-level folder, of `lib` and `dev` the folder in it. */
export function roomOf(path: string): string {
  const [top = '', second = '', inside] = path.split('/');
  return dividedRooms.includes(top) && inside !== undefined ? `${top}/${second}` : top;
}

function isBelow(topRooms: readonly string[], path: string): boolean {
  return topRooms.some((room) => path.startsWith(`${room}/`));
}

function measureSizes(files: readonly CodeFile[]): Sizes {
  const functions = files.flatMap(({ path, functions: inside }) =>
    inside.map(({ name, line, lines }) => ({ lines, where: `${name}, ${path}:${line}` })),
  );
  const lines = sum(files.map((file) => file.lines));
  const commentLines = sum(files.map((file) => file.commentLines));
  return {
    files: files.length,
    lines,
    commentShare: lines === 0 ? 0 : commentLines / lines,
    medianFile: median(files.map((file) => file.lines)),
    longestFile: longestOf(files.map((file) => ({ lines: file.lines, where: file.path }))),
    functions: functions.length,
    medianFunction: median(functions.map((each) => each.lines)),
    longestFunction: longestOf(functions),
  };
}

function measureReach(
  files: readonly CodeFile[],
  { entry: asked, rooms: named }: ReachOptions,
): Reach | null {
  const entry =
    asked ?? files.find((file) => file.declaredFunctions.includes(attemptFunction))?.path;
  if (entry === undefined) return null;
  const rooms = new Set(named ?? [posix.dirname(entry), ...deliveryRooms]);
  const existing = [...rooms].filter((room) => files.some((file) => roomOf(file.path) === room));
  const reached = reachedFrom(files, { entry, rooms: existing });
  return {
    entry,
    rooms: existing,
    files: reached.map(({ path }) => path).toSorted(),
    lines: sum(reached.map((file) => file.lines)),
  };
}

function workflowIdSchemes(files: readonly CodeFile[]): string[] {
  const names = files.find(({ path }) => path === 'lib/temporal/names.ts');
  return names?.declaredFunctions.filter((name) => name.endsWith('WorkflowId')) ?? [];
}

/** Returns the middle value, the mean of the two middle ones of an even number, 0 of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1] ?? 0, sorted[Math.floor(middle)] ?? 0];
  return (low + high) / 2;
}

function longestOf(all: readonly Longest[]): Longest | null {
  return all.toSorted((a, b) => b.lines - a.lines)[0] ?? null;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
