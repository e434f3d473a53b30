import { text } from 'node:stream/consumers';
import input from '@inquirer/input';
import password from '@inquirer/password';
import type { Command } from 'commander';
import { InsufficientScopeError } from '../../../client-ts/src/index.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import {
  defaultProfile,
  type Profile,
  readSettings,
  settingsFile,
  writeSettings,
} from '../profiles.ts';
import { clientOf, type GlobalOptions } from '../session.ts';

interface LoginOptions extends GlobalOptions {
  readonly url?: string;
  readonly app?: string;
}

const help = `
The key is asked for, or read from standard input, or where that is empty from HERALD_API_KEY; it is never an argument,
which other users of the machine could see. It is kept in a file that only you can read.

Examples:
  $ agent-herald login
  $ agent-herald login --profile staging --url https://agents.example.com --app app_… < key.txt
`;

export function addLogin(program: Command): void {
  program
    .command('login')
    .description('checks an API key and keeps it as a profile')
    .option('--url <url>', 'the address of the service')
    .option('--app <uid>', 'the application')
    .addHelpText('after', help)
    .action(async (_: object, command: Command) => {
      const options = command.optsWithGlobals<LoginOptions>();
      const profile = await ask(options);
      await checkKey(profile);
      const settings = readSettings();
      const name = options.profile ?? defaultProfile;
      const profiles = { ...settings.profiles, [name]: profile };
      writeSettings({ ...settings, profiles });
      process.stderr.write(`kept as profile "${name}" in ${settingsFile()}\n`);
    });
}

async function ask({ url, app }: LoginOptions): Promise<Profile> {
  const { HERALD_URL, HERALD_APP_UID } = process.env;
  const isAsked = process.stdin.isTTY;
  const answer = async (message: string, given: string | undefined, option: string) => {
    if (given) return given;
    if (isAsked) return input({ message, required: true });
    throw new CommandError(`without a terminal, ${option} is needed`, exitCodes.usage);
  };
  return {
    url: await answer('Address of the service', url ?? HERALD_URL, '--url'),
    appUid: await answer('Application (app_…)', app ?? HERALD_APP_UID, '--app'),
    apiKey: await readKey(),
  };
}

/** A key that is piped in is meant for this call, one of the environment maybe for another service. */
async function readKey(): Promise<string> {
  const { HERALD_API_KEY = '' } = process.env;
  if (!process.stdin.isTTY) return (await text(process.stdin)).trim() || HERALD_API_KEY;
  return HERALD_API_KEY || password({ message: 'API key', mask: true });
}

/** Any key can be kept, whatever its scopes are. */
async function checkKey(profile: Profile): Promise<void> {
  const client = clientOf(profile);
  try {
    await client.webhooks.list().page();
  } catch (error) {
    if (!(error instanceof InsufficientScopeError)) throw error;
  }
}
