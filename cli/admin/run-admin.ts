// Manages the admins of the admin area, and creates API keys.
import { parseArgs } from 'node:util';
import { resolve } from 'node:path';
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
import { findMissingIndexes } from '../../lib/mongo/indexes.ts';
import { readDevFile } from '../../lib/config/dev-file.ts';
import { readNewPassword } from './read-password.ts';

export const usage = `Usage: npm run admin -- list
       npm run admin -- COMMAND --email EMAIL [options]
       npm run admin -- create-key APP_UID --name NAME --scopes SCOPES

  list             shows all admins, a line each
  create           makes an admin; the first one is a superuser
  reset-password   sets a password and ends all sessions of the admin
  unlink           forgets who the admin is at the identity provider and ends all sessions;
                   the next sign-in through the provider with this e-mail links anew
  promote          makes an admin a superuser
  demote           makes a superuser one of the other admins; not the last one
  remove           removes an admin, with all sessions and memberships
  create-key       makes an API key of an application and shows it, this once

  --email EMAIL    who
  --generate       makes a password and shows it, this once
  --no-password    create: signs in through the identity provider only
  --superuser      create: is owner of every application and makes new ones
  --name NAME      create-key: what the lists call it
  --scopes SCOPES  create-key: all, or some with commas between them:
                   ${scopes.join(', ')}
  --help           shows this

Without --generate the password is asked for and not shown, or read as a line from standard input.
The database is that of MONGODB_URI and HERALD_DATABASE, or else of the npm start that runs here.
create-key also needs the HERALD_KEY_PEPPER of the service.
`;

/** Where a command reads and writes: the process, except in tests. */
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
      `${admin.email} is an admin now${admin.superuser ? ', and a superuser' : ''}: ${admin._id}`,
    );
    if (how.generate && password !== null) showPassword(terminal, password);
  },
  async 'reset-password'({ store, terminal }, { email, generate }) {
    const password = await choosePassword(terminal, generate);
    const admin = await resetPassword(store, { email, password });
    say(terminal, `The password of ${admin.email} is set; all sessions have ended.`);
    if (generate) showPassword(terminal, password);
  },
  async unlink({ store, terminal }, { email }) {
    const admin = await unlinkAdmin(store, { email });
    say(terminal, `${admin.email} is linked to no identity any more; all sessions have ended.`);
  },
  async promote({ store, terminal }, { email }) {
    const admin = await setSuperuser(store, { email, superuser: true });
    say(terminal, `${admin.email} is a superuser now.`);
  },
  async demote({ store, terminal }, { email }) {
    const admin = await setSuperuser(store, { email, superuser: false });
    say(terminal, `${admin.email} is no superuser any more.`);
  },
  async remove({ store, terminal }, { email }) {
    const admin = await removeAdmin(store, { email });
    say(terminal, `${admin.email} is no admin any more.`);
  },
};

/** Throws an Error with a sentence for the operator. */
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
      throw new Error('say which application: create-key APP_UID');
    if (name === undefined) throw new Error('say how to call it with --name NAME');
    if (chosen === undefined) throw new Error('say what it may do with --scopes SCOPES, or all');
    return withStore(terminal, showNewKey({ appUid, name, scopes: chosen.split(',') }));
  }
  const command = Object.hasOwn(commands, commandName) && commands[commandName];
  if (!command || positionals.length !== 1) throw new Error(usage.trimEnd());
  const { email, generate = false, 'no-password': noPassword = false, superuser = false } = values;
  if (email === undefined) throw new Error('say who with --email EMAIL');
  if (generate && noPassword) throw new Error('choose one of --generate and --no-password');
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
  const environment = await findEnvironment(terminal);
  await using store = await connectStore(readStoreConfig(environment));
  const missing = await findMissingIndexes(store);
  if (missing.length > 0) throw new Error('the database is not prepared: run npm run setup first');
  await work({ store, environment, terminal });
}

function showNewKey(wish: { appUid: string; name: string; scopes: string[] }): Work {
  return async ({ store, environment, terminal }) => {
    const keyPepper = readKeyPepper(environment);
    const { keyUid, apiKey, scopes: made } = await createKey(store, { ...wish, keyPepper });
    say(terminal, `key uid  ${keyUid}\nscopes   ${made.join(', ')}\nAPI key  ${apiKey}`);
    say(terminal, 'The key is shown this once: keep it now.');
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

/** Returns the environment, with database and pepper of the running `npm start` where it names no database. */
async function findEnvironment({ env }: Terminal): Promise<NodeJS.ProcessEnv> {
  if (env['MONGODB_URI']) return env;
  const dataDir = resolve(env['HERALD_DATA_DIR'] || '.herald');
  const dev = await readDevFile(`${dataDir}/dev.json`);
  if (dev !== null) {
    return { ...env, MONGODB_URI: dev.mongodbUri, HERALD_KEY_PEPPER: dev.keyPepper };
  }
  throw new Error(
    `set MONGODB_URI, or start the service here with npm start (none runs in ${dataDir})`,
  );
}

async function choosePassword(terminal: Terminal, generate: boolean): Promise<string> {
  return generate ? newPassword() : readNewPassword(terminal);
}

function showPassword(terminal: Terminal, password: string): void {
  say(terminal, `password: ${password}\nIt is shown this once: keep it now.`);
}

function say({ stdout }: Terminal, line: string): void {
  stdout.write(`${line}\n`);
}
