// A process that starts a guarded server, prints the server's process ID, and then waits or crashes.
import { startGuarded } from '../../../dev/servers/guarded-process.ts';

const [logFile = '', ending] = process.argv.slice(2);
const server = await startGuarded({ name: 'sleep', binary: 'sleep', args: ['60'], logFile });
process.stdout.write(`${server.pid}\n`, () => {
  if (ending === 'crash') throw new Error('crashed on purpose');
});
