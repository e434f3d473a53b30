// `npm run setup`: prepares the servers. With `-- --app NAME`, also creates an application.
import { parseArgs } from 'node:util';
import { readConfig, readKeyPepper, readStoreConfig } from '../../lib/config/config.ts';
import { findEnvironment } from '../../lib/config/dev-file.ts';
import { runCommand } from '../../lib/platform/run-command.ts';
import { connectStore } from '../../lib/mongo/connect.ts';
import { checkName, createAppWithKey } from '../../lib/access/create-app-with-key.ts';
import { prepareServers } from './prepare-servers.ts';

const help = `Usage: npm run setup -- [options]

Creates the missing indexes and check values of secrets in MongoDB, and the missing search attributes
and schedule in Temporal. Fails if the secrets are not those with which it ran before.
Safe to repeat, also while the service runs.

  --app NAME  also create an application with this name, with an account and an API key of every
              scope, and show them; the key is shown only once. Without MONGODB_URI, only create it
              in the npm start that runs here
  --help      show this help

The settings are those of the service: docs/configuration.md.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { app: { type: 'string' } } });
  if (values.app !== undefined) checkName('the name of an application', values.app);
  const environment = values.app === undefined ? process.env : await findEnvironment(process.env);
  // Otherwise `npm start` has prepared its servers.
  if (environment === process.env) {
    await prepareServers(readConfig(environment));
    process.stdout.write('The indexes and search attributes are in place.\n');
  }
  if (values.app === undefined) return;
  await using store = await connectStore(readStoreConfig(environment));
  const keyPepper = readKeyPepper(environment);
  const app = await createAppWithKey(store, { name: values.app, keyPepper });
  process.stdout.write(
    `app uid      ${app.appUid}\naccount uid  ${app.accountUid}\nAPI key      ${app.apiKey}\n` +
      'The key is shown only once. Store it now.\n',
  );
}

await runCommand(main, help);
