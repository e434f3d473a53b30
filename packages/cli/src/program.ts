import { Command } from 'commander';
import { addCompletion } from './commands/completion.ts';
import { addDoctor } from './commands/doctor.ts';
import { addEvents } from './commands/events.ts';
import { addListen } from './commands/listen.ts';
import { addLogin } from './commands/login.ts';
import { addReplays } from './commands/replays.ts';
import { addTrigger } from './commands/trigger.ts';
import { addVerify } from './commands/verify.ts';
import { addWebhooks } from './commands/webhooks.ts';
import { version } from './version.ts';

const help = `
HERALD_URL, HERALD_APP_UID and HERALD_API_KEY, all three, are used where neither --profile nor HERALD_PROFILE names a
profile; without them it is the profile "default". Output is a table on a terminal, else JSON.

Exit codes: 0 well, 1 a call or a check failed, 2 wrong arguments, 3 not signed in or not allowed, 4 not found,
5 the service cannot be reached.

Examples:
  $ agent-herald login
  $ agent-herald listen --forward-to http://localhost:4000/hook
  $ agent-herald events list --event agent.created --since 1h
  $ agent-herald doctor
`;

export function createProgram(): Command {
  const program = new Command('agent-herald')
    .description('The command line of agent-herald')
    .version(version)
    .option('--profile <name>', 'the profile to use', process.env['HERALD_PROFILE'] || undefined)
    .option('--json', 'prints JSON, also on a terminal')
    .option('--table', 'prints tables, also where there is no terminal')
    .addHelpText('after', help);
  addLogin(program);
  addListen(program);
  addTrigger(program);
  addEvents(program);
  addWebhooks(program);
  addReplays(program);
  addVerify(program);
  addDoctor(program);
  addCompletion(program);
  refuseWithErrors(program);
  return program;
}

/** Makes faults in arguments errors, in all commands. */
function refuseWithErrors(command: Command): void {
  command.exitOverride().showHelpAfterError('(--help shows what there is)');
  for (const each of command.commands) refuseWithErrors(each);
}
