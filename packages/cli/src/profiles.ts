// The file with the profiles: addresses and keys, readable only by its owner.
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CommandError, exitCodes } from './exit-codes.ts';
import { fileFault } from './files.ts';

export interface Profile {
  readonly url: string;
  readonly appUid: string;
  readonly apiKey: string;
}

interface Settings {
  readonly profiles: Readonly<Record<string, Profile>>;
  /** The secret that `listen` signs with. */
  readonly listenSecret?: string;
}

export const defaultProfile = 'default';
const variables = 'HERALD_URL, HERALD_APP_UID and HERALD_API_KEY';

const folder = () =>
  join(process.env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'agent-herald');
export const settingsFile = () => join(folder(), 'config.json');

export function readSettings(): Settings {
  const settings = readStored();
  if (settings !== null) return settings;
  const fault = `${settingsFile()} cannot be read: it is damaged; run agent-herald login to replace it`;
  throw new CommandError(fault, exitCodes.forbidden);
}

/** Reads the settings. Moves a damaged file aside, and reports its new name. */
export function replaceDamagedSettings(report: (path: string) => void): Settings {
  const settings = readStored();
  if (settings !== null) return settings;
  const aside = `${settingsFile()}.damaged`;
  try {
    renameSync(settingsFile(), aside);
  } catch (error) {
    throw fileFault(error, settingsFile());
  }
  report(aside);
  return { profiles: {} };
}

/** Returns null if the file is damaged. */
function readStored(): Settings | null {
  let text: string;
  try {
    text = readFileSync(settingsFile(), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} };
    throw fileFault(error, settingsFile());
  }
  try {
    const value: unknown = JSON.parse(text);
    return isSettings(value) ? value : null;
  } catch {
    return null;
  }
}

function isSettings(value: unknown): value is Settings {
  if (!isObject(value) || !isObject(value['profiles'])) return false;
  const { profiles, listenSecret = '' } = value;
  return typeof listenSecret === 'string' && Object.values(profiles as object).every(isProfile);
}

function isProfile(value: unknown): boolean {
  return (
    isObject(value) && ['url', 'appUid', 'apiKey'].every((name) => typeof value[name] === 'string')
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Replaces the file atomically. Throws `CommandError`. */
export function writeSettings(settings: Settings): void {
  const draft = `${settingsFile()}.${process.pid}`;
  try {
    mkdirSync(folder(), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
    chmodSync(draft, 0o600);
    renameSync(draft, settingsFile());
  } catch (error) {
    rmSync(draft, { force: true });
    throw fileFault(error, settingsFile());
  }
}

/**
 * Returns the profile to use: the named one, or else the environment, or else the profile `default`. The sources are
 * never mixed, so that a key is sent only to its own service. Throws `CommandError` if a value is missing.
 */
export function chooseProfile(named: string | undefined): Profile {
  const ofEnvironment = named === undefined ? readEnvironment() : null;
  if (ofEnvironment !== null) return ofEnvironment;
  const name = named ?? defaultProfile;
  const stored = readSettings().profiles[name];
  if (stored?.url && stored.appUid && stored.apiKey) return stored;
  const hint = `run agent-herald login, or set ${variables}`;
  throw new CommandError(`there is no profile "${name}": ${hint}`, exitCodes.forbidden);
}

function readEnvironment(): Profile | null {
  const { HERALD_URL: url, HERALD_APP_UID: appUid, HERALD_API_KEY: apiKey } = process.env;
  if (url && appUid && apiKey) return { url, appUid, apiKey };
  if (!url && !appUid && !apiKey) return null;
  const hint = 'set all three, or name a profile with --profile';
  throw new CommandError(`only some of ${variables} are set: ${hint}`, exitCodes.forbidden);
}
