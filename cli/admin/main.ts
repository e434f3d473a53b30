// `npm run admin`.
import { runCommand } from '../../lib/platform/run-command.ts';
import { runAdmin, usage } from './run-admin.ts';

await runCommand(() => runAdmin(process.argv.slice(2), process), usage);
