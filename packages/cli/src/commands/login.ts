import { text } from 'node:stream/consumers';
import input from '@inquirer/input';
import password from '@inquirer/password';
import type { Command } from 'commander';
import { InsufficientScopeError } from '../../../client-ts/src/index.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import {
  defaultProfile,
  type Profile,
  replaceDamagedSettings,
  settingsFile,
  writeSettings,
} from '../profiles.ts';
import { maskUrls } from '../printable.ts';
import { clientOf, type GlobalOptions } from '../session.ts';

interface LoginOptions extends GlobalOptions {
  readonly url?: string;
  readonly app?: string;
}

const help = `
On a terminal, the command prompts for the key. Otherwise it reads the key from standard input or, if that is empty, from
HERALD_API_KEY, which is sent only to HERALD_URL. The key is never an argument, which other users of the machine could
see. It is saved in a file that only you can read.

Examples:
  $ agent-herald login
  $ agent-herald login --profile staging --url https://agents.example.com --app app_… < key.txt
`;

export function addLogin(program: Command): void {
  program
    .command('login')
    .description('check an API key and save it as a profile')
    .option('--url <url>', 'URL of the service')
    .option('--app <uid>', 'uid of the application')
    .addHelpText('after', help)
    .action(async (_: object, command: Command) => {
      const options = command.optsWithGlobals<LoginOptions>();
      const profile = await ask(options);
      await checkKey(profile);
      const settings = replaceDamagedSettings((path) => {
        process.stderr.write(`the settings were damaged; their file is now ${path}\n`);
      });
      const name = options.profile ?? defaultProfile;
      const profiles = { ...settings.profiles, [name]: profile };
      writeSettings({ ...settings, profiles });
      process.stderr.write(`saved as profile "${name}" in ${settingsFile()}\n`);
    });
}

async function ask({ url, app }: LoginOptions): Promise<Profile> {
  const { HERALD_URL, HERALD_APP_UID } = process.env;
  const address = url || (await answer('Address of the service', '--url', url ?? HERALD_URL));
  const appUid = app || (await answer('Application (app_…)', '--app', app ?? HERALD_APP_UID));
  return { url: address, appUid, apiKey: await readKey(address) };
}

/** Prompts on a terminal, with the environment variable as the default answer. */
async function answer(message: string, option: string, proposed = ''): Promise<string> {
  // The prompt shows its default.
  const isShown = maskUrls(proposed) === proposed;
  if (process.stdin.isTTY)
    return input({ message, required: true, ...(isShown ? { default: proposed } : {}) });
  if (proposed) return proposed;
  throw new CommandError(`without a terminal, ${option} is required`, exitCodes.usage);
}

/** A key that is typed or piped is meant for this call. One from the environment may be for another service. */
async function readKey(url: string): Promise<string> {
  if (process.stdin.isTTY) return password({ message: 'API key', mask: true });
  const { HERALD_URL, HERALD_API_KEY } = process.env;
  const isItsOwn = !HERALD_URL || HERALD_URL === url;
  const key = (await text(process.stdin)).trim() || (isItsOwn && HERALD_API_KEY);
  if (key) return key;
  const hint = 'pipe one in (HERALD_API_KEY is sent only to HERALD_URL)';
  throw new CommandError(`no API key given; ${hint}`, exitCodes.usage);
}

/** Any valid key is accepted, whatever its scopes. */
async function checkKey(profile: Profile): Promise<void> {
  const client = clientOf(profile);
  try {
    await client.webhooks.list().page();
  } catch (error) {
    if (!(error instanceof InsufficientScopeError)) throw error;
  }
}
