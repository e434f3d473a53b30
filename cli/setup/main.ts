// `npm run setup`: prepares the servers; with `-- --app NAME` it makes an application, too.
import { parseArgs } from 'node:util';
import { readConfig } from '../../lib/config/config.ts';
import { runCommand } from '../../lib/platform/run-command.ts';
import { connectStore } from '../../lib/mongo/connect.ts';
import { checkName, createAppWithKey } from '../../lib/access/create-app-with-key.ts';
import { prepareServers } from './prepare-servers.ts';

const help = `Usage: npm run setup -- [options]

Makes the indexes in MongoDB, and the search attributes and the schedule in Temporal, where they are missing.
Safe to repeat, also while the service runs.

  --app NAME  also makes an application of this name, with an account and an API key of every scope,
              and shows them, the key this once
  --help      shows this

The settings are those of the service: docs/configuration.md.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { app: { type: 'string' } } });
  if (values.app !== undefined) checkName('the name of an application', values.app);
  const config = readConfig(process.env);
  await prepareServers(config);
  process.stdout.write('The indexes and search attributes are in place.\n');
  if (values.app === undefined) return;
  await using store = await connectStore(config.mongodb);
  const app = await createAppWithKey(store, { name: values.app, keyPepper: config.keyPepper });
  process.stdout.write(
    `app uid      ${app.appUid}\naccount uid  ${app.accountUid}\nAPI key      ${app.apiKey}\n` +
      'The key is shown this once: keep it now.\n',
  );
}

await runCommand(main, help);
