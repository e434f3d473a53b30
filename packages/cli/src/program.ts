import { Command } from 'commander';
import { readUid } from './arguments.ts';
import { addCompletion } from './commands/completion.ts';
import { addDoctor } from './commands/doctor.ts';
import { addEvents } from './commands/events.ts';
import { addListen } from './commands/listen.ts';
import { addLogin } from './commands/login.ts';
import { addMcp } from './commands/mcp.ts';
import { addReplays } from './commands/replays.ts';
import { addSync } from './commands/sync.ts';
import { addTrigger } from './commands/trigger.ts';
import { addUsers } from './commands/users.ts';
import { addVerify } from './commands/verify.ts';
import { addWebhooks } from './commands/webhooks.ts';
import { maskUrls, printable } from './printable.ts';
import { version } from './version.ts';

const help = `
HERALD_URL, HERALD_APP_UID and HERALD_API_KEY are used together if neither --profile nor HERALD_PROFILE names a profile.
Without them, the profile "default" is used. Output is a table on a terminal, otherwise JSON.
HTTPS_PROXY, HTTP_PROXY and NO_PROXY are used as by curl, except that this machine is always reached directly.

Exit codes: 0 success, 1 a call or a check failed, 2 wrong arguments, 3 not signed in or not allowed, 4 not found,
5 the service is unavailable.

Examples:
  $ agent-herald login
  $ agent-herald listen --forward-to http://localhost:4000/hook
  $ agent-herald events list --event agent.created --since 1h
  $ agent-herald doctor
`;

export function createProgram(): Command {
  const program = new Command('agent-herald')
    .description('Command line for agent-herald')
    .version(version)
    .option('--profile <name>', 'profile to use', process.env['HERALD_PROFILE'] || undefined)
    .option('--json', 'print JSON, also on a terminal')
    .option('--table', 'print tables, also without a terminal')
    .addHelpText('after', help);
  addLogin(program);
  addListen(program);
  addTrigger(program);
  addEvents(program);
  addWebhooks(program);
  addReplays(program);
  addSync(program);
  addUsers(program);
  addVerify(program);
  addDoctor(program);
  addMcp(program);
  addCompletion(program);
  refuseWithErrors(program);
  return program;
}

/** Makes all commands throw on invalid arguments instead of exiting. */
function refuseWithErrors(command: Command): void {
  const { registeredArguments: given, options } = command;
  for (const each of given)
    if (each.parseArg === undefined && !each.variadic) each.argParser(readUid);
  const takesRest = given.length > 0 && options.some(({ variadic }) => variadic);
  // Such an option would take an argument after it as one of its values.
  if (takesRest) command.usage(`${given.map((each) => `<${each.name()}>`).join(' ')} [options]`);
  const order = takesRest ? 'write arguments before options with several values; ' : '';
  command
    .exitOverride()
    .showHelpAfterError(`(${order}run with --help for usage)`)
    .configureOutput({
      outputError: (text, write) => write(maskUrls(printable(text))),
    });
  for (const each of command.commands) refuseWithErrors(each);
}
