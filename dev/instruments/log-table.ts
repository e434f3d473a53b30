import { logEvents, type LogEvent } from '../../lib/platform/log-events.ts';
import { withGenerated } from './with-generated.ts';

/** Returns the page with an updated table of log events. */
export function withLogTable(page: string): string {
  const rows = Object.entries(logEvents).flatMap(([subject, events]) => [
    `| **${subject}** | | |\n`,
    ...Object.entries<LogEvent>(events).map(rowOf),
  ]);
  const head = '| event | level | meaning, and fields |\n| --- | --- | --- |\n';
  return withGenerated(page, [`${head}${rows.join('')}`]);
}

function rowOf([name, { levels, text, fields }]: [string, LogEvent]): string {
  const named = fields === '' ? '' : ` \`${fields}\``;
  return `| \`${name}\` | ${levels.join(', ')} | ${text}${named} |\n`;
}
