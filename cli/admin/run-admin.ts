// Manages the admins of the admin area and creates API keys.
import { parseArgs } from 'node:util';
import type { Readable, Writable } from 'node:stream';
import { readKeyPepper, readStoreConfig } from '../../lib/config/config.ts';
import { createKey } from '../../lib/access/create-app-with-key.ts';
import { newPassword } from '../../lib/access/password.ts';
import { connectStore, type Store } from '../../lib/mongo/connect.ts';
import {
  createAdmin,
  removeAdmin,
  resetPassword,
  setSuperuser,
  unlinkAdmin,
} from '../../lib/access/create-admin.ts';
import { scopes } from '../../lib/model/api-key.ts';
import { checkSecrets } from '../../lib/mongo/secret-checks.ts';
import { findMissingIndexes } from '../../lib/mongo/indexes.ts';
import { findEnvironment } from '../../lib/config/dev-file.ts';
import { readNewPassword } from './read-password.ts';

export const usage = `Usage: npm run admin -- list
       npm run admin -- COMMAND --email EMAIL [options]
       npm run admin -- create-key APP_UID --name NAME --scopes SCOPES

  list             list all admins, one per line
  create           create an admin; the first one is a superuser
  reset-password   set a new password and end all sessions of the admin
  unlink           remove the link to the identity provider and end all sessions of the admin;
                   the next sign-in through the provider with this email creates a new link
  promote          make an admin a superuser
  demote           take superuser rights away; the last superuser keeps them
  remove           remove an admin, with all sessions and memberships
  create-key       create an API key for an application and show it once

  --email EMAIL    email address of the admin
  --generate       generate a password and show it once
  --no-password    create: sign-in through the identity provider only
  --superuser      create: the admin owns every application and can create new ones
  --name NAME      create-key: name of the key
  --scopes SCOPES  create-key: all, or a comma-separated list of
                   ${scopes.join(', ')}
  --help           show this help

Without --generate, the command prompts for the password, or reads it as a line from standard input.
The database is that of MONGODB_URI and HERALD_DATABASE, or else of the npm start that runs here.
create-key also needs the HERALD_KEY_PEPPER of the service.
`;

/** The input and output of a command: those of the process, except in tests. */
export interface Terminal {
  env: NodeJS.ProcessEnv;
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable;
  stderr: Writable;
}

interface Options {
  email: string;
  generate: boolean;
  noPassword: boolean;
  superuser: boolean;
}

const optionsOf: Readonly<Record<string, readonly string[]>> = {
  list: [],
  create: ['email', 'generate', 'no-password', 'superuser'],
  'reset-password': ['email', 'generate'],
  unlink: ['email'],
  promote: ['email'],
  demote: ['email'],
  remove: ['email'],
  'create-key': ['name', 'scopes'],
};

const commands: Record<string, (context: Context, options: Options) => Promise<void>> = {
  async create({ store, terminal }, { email, superuser, ...how }) {
    const password = how.noPassword ? null : await choosePassword(terminal, how.generate);
    const admin = await createAdmin(store, { email, password, superuser });
    say(
      terminal,
      `Created the ${admin.superuser ? 'superuser' : 'admin'} ${admin.email}: ${admin._id}`,
    );
    if (how.generate && password !== null) showPassword(terminal, password);
  },
  async 'reset-password'({ store, terminal }, { email, generate }) {
    const password = await choosePassword(terminal, generate);
    const admin = await resetPassword(store, { email, password });
    say(terminal, `Set the password of ${admin.email} and ended all sessions.`);
    if (generate) showPassword(terminal, password);
  },
  async unlink({ store, terminal }, { email }) {
    const admin = await unlinkAdmin(store, { email });
    say(terminal, `Removed the identity link of ${admin.email} and ended all sessions.`);
  },
  async promote({ store, terminal }, { email }) {
    const admin = await setSuperuser(store, { email, superuser: true });
    say(terminal, `${admin.email} is now a superuser.`);
  },
  async demote({ store, terminal }, { email }) {
    const admin = await setSuperuser(store, { email, superuser: false });
    say(terminal, `${admin.email} is no longer a superuser.`);
  },
  async remove({ store, terminal }, { email }) {
    const admin = await removeAdmin(store, { email });
    say(terminal, `${admin.email} is no longer an admin.`);
  },
};

/** Throws an Error whose message is a sentence for the operator. */
export async function runAdmin(args: string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      email: { type: 'string' },
      generate: { type: 'boolean' },
      'no-password': { type: 'boolean' },
      superuser: { type: 'boolean' },
      name: { type: 'string' },
      scopes: { type: 'string' },
    },
  });
  const [commandName = ''] = positionals;
  const taken = Object.hasOwn(optionsOf, commandName) ? optionsOf[commandName] : undefined;
  const refused = Object.keys(values).find((option) => taken?.includes(option) === false);
  if (refused !== undefined) throw new Error(`${commandName} does not take --${refused}`);
  if (positionals.join() === 'list') return withStore(terminal, list);
  if (commandName === 'create-key') {
    const [, appUid, ...more] = positionals;
    const { name, scopes: chosen } = values;
    if (appUid === undefined || more.length > 0)
      throw new Error('name the application: create-key APP_UID');
    if (name === undefined) throw new Error('name the key with --name NAME');
    if (chosen === undefined)
      throw new Error('choose its scopes with --scopes SCOPES, or --scopes all');
    return withStore(terminal, showNewKey({ appUid, name, scopes: chosen.split(',') }));
  }
  const command = Object.hasOwn(commands, commandName) && commands[commandName];
  if (!command || positionals.length !== 1) throw new Error(usage.trimEnd());
  const { email, generate = false, 'no-password': noPassword = false, superuser = false } = values;
  if (email === undefined) throw new Error('name the admin with --email EMAIL');
  if (generate && noPassword) throw new Error('use either --generate or --no-password');
  const options = { email, generate, noPassword, superuser };
  await withStore(terminal, (context) => command(context, options));
}

interface Context {
  store: Store;
  environment: NodeJS.ProcessEnv;
  terminal: Terminal;
}

type Work = (context: Context) => Promise<void>;

async function withStore(terminal: Terminal, work: Work): Promise<void> {
  const environment = await findEnvironment(terminal.env);
  await using store = await connectStore(readStoreConfig(environment));
  const missing = await findMissingIndexes(store);
  if (missing.length > 0) throw new Error('the database is not prepared: run npm run setup first');
  await work({ store, environment, terminal });
}

function showNewKey(input: { appUid: string; name: string; scopes: string[] }): Work {
  return async ({ store, environment, terminal }) => {
    const keyPepper = readKeyPepper(environment);
    await checkSecrets(store, { keyPepper });
    const { keyUid, apiKey, scopes: made } = await createKey(store, { ...input, keyPepper });
    say(terminal, `key uid  ${keyUid}\nscopes   ${made.join(', ')}\nAPI key  ${apiKey}`);
    say(terminal, 'The key is shown only once. Store it now.');
  };
}

/** Columns are separated by tabs, for `cut`. */
async function list({ store, terminal }: Context): Promise<void> {
  for await (const admin of store.admins.find({}).sort({ email: 1 })) {
    const ways = [admin.passwordHash && 'password', admin.identity && 'provider'].filter(Boolean);
    const role = admin.superuser ? 'superuser' : 'admin';
    const since = admin.lastSignedInAt?.toISOString() ?? 'never';
    say(terminal, [admin.email, admin._id, role, ways.join('+') || 'not yet', since].join('\t'));
  }
}

async function choosePassword(terminal: Terminal, generate: boolean): Promise<string> {
  return generate ? newPassword() : readNewPassword(terminal);
}

function showPassword(terminal: Terminal, password: string): void {
  say(terminal, `password: ${password}\nIt is shown only once. Store it now.`);
}

function say({ stdout }: Terminal, line: string): void {
  stdout.write(`${line}\n`);
}
