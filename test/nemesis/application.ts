// One application of the load: what it knows of its resources, webhooks and users.
import type { NewApp } from '../../lib/access/create-app-with-key.ts';
import type { Caller, Reply } from './caller.ts';
import type {
  Call,
  ChangeCall,
  JobCall,
  ReadCall,
  TokenHistory,
  WebhookHistory,
  WebhookSettings,
} from './history.ts';
import type { ScriptName } from './receivers.ts';

export interface Webhook {
  uid: string;
  history: WebhookHistory;
  settings: WebhookSettings;
  isDeleted: boolean;
  /** Whether an operation on it is in progress: they follow each other. */
  isBusy: boolean;
}

interface Observed {
  changes: ChangeCall[];
  webhooks: WebhookHistory[];
  jobs: JobCall[];
  tokens: TokenHistory[];
  reads: ReadCall[];
}

/** What all operations need. */
export interface Scene {
  caller: Caller;
  observed: Observed;
  random: () => number;
  receiversUrl: string;
  follow: (path: string, script: ScriptName) => void;
  applications: readonly Application[];
  /** Signed in as an admin. */
  adminHeaders: Readonly<Record<string, string>>;
}

export interface Application {
  number: number;
  app: NewApp;
  webhooks: Webhook[];
  agents: string[];
  contexts: string[];
  /** The uids of the files of a context. */
  files: Map<string, string[]>;
  /** IDs of events that reports returned, the latest ones. */
  eventIds: string[];
  /** Its tenant is erased at times; then it gets the next number. */
  erasures: number;
  tokens: { token: string; history: TokenHistory }[];
  /** `userUid` is null for those of all users. */
  revocations: (TokenHistory['revocations'][number] & { userUid: string | null })[];
  marks: number;
  /** The number of paths that its webhooks have had. */
  paths: number;
  /** The uid of the API key in use. */
  keyUid: string;
}

export function newApplication(number: number, app: NewApp, keyUid: string): Application {
  return {
    number,
    app,
    keyUid,
    webhooks: [],
    agents: [],
    contexts: [],
    files: new Map(),
    eventIds: [],
    erasures: 0,
    tokens: [],
    revocations: [],
    marks: 0,
    paths: 0,
  };
}

/** Returns what the caller of a call was told. */
export const callOf = (
  { app }: Application,
  { startMs, endMs, outcome, isRepeated }: Reply,
): Call => ({ appUid: app.appUid, startMs, endMs, outcome, isRepeated });

export function pick<Item>(random: () => number, items: readonly Item[]): Item | undefined {
  return items[Math.floor(random() * items.length)];
}

/** Picks a key with a probability in proportion to its weight. */
export function pickWeighted<Key extends string>(
  random: () => number,
  weights: Readonly<Record<Key, number>>,
): Key {
  const entries = Object.entries(weights) as [Key, number][];
  let left = random() * entries.reduce((sum, [, weight]) => sum + weight, 0);
  const found = entries.find(([, weight]) => (left -= weight) < 0) ?? entries.at(-1);
  if (found === undefined) throw new Error('there is nothing to pick from');
  return found[0];
}

/** Returns the text that identifies a change in its payload. */
export const nextMark = (application: Application): string =>
  `m-${application.number}-${(application.marks += 1)}`;
