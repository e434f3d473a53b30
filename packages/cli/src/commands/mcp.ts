import type { Command } from 'commander';
import { Session } from '../session.ts';

const help = `
An assistant starts it, for example with {"command": "agent-herald", "args": ["mcp"]} in its settings.
Without --allow-changes it offers only tools that read.
`;

export function addMcp(program: Command): void {
  program
    .command('mcp')
    .description('offer tools to an assistant, over the Model Context Protocol on standard input')
    .option('--allow-changes', 'also offer tools that resend, recover, sync and skip')
    .addHelpText('after', help)
    .action(async ({ allowChanges = false }: { allowChanges?: boolean }, command: Command) => {
      const session = new Session(command);
      // Loaded here, because the other commands start faster without it.
      const { serveAssistant } = await import('../assistant/server.ts');
      await serveAssistant(session, { allowChanges });
    });
}
