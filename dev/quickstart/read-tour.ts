// The steps of README.md, "Try every step": the commands to copy, and the samples of what they print.
import { blocksOf, isCommand } from './read-quickstart.ts';

export interface Tour {
  /** Prints the requests that it receives, in a terminal of its own. */
  readonly receiver: string;
  /** The command is null for the sample of what the receiver prints. */
  readonly steps: readonly { readonly command: string | null; readonly sample: string }[];
}

/** Throws if the document has another structure. */
export function readTour(markdown: string): Tour {
  const section = /^## Try every step\n(.*?)^## /ms.exec(markdown)?.[1] ?? '';
  const [environment, receiver, ...rest] = blocksOf(section);
  if (environment === undefined || receiver === undefined || rest.length === 0)
    throw new Error('README.md does not begin its steps with two commands');
  const steps = rest.flatMap((block, index) => {
    if (isCommand(block)) return [];
    const before = rest[index - 1];
    const hasCommand = before !== undefined && isCommand(before);
    return [
      { command: hasCommand ? environment.text + before.text : null, sample: block.text.trim() },
    ];
  });
  return { receiver: receiver.text, steps };
}

/** Returns the last request that the receiver printed: the webhook's headers, one per line, and the body. */
export function requestIn(output: string): string {
  const request = output.slice(output.lastIndexOf('\n{\n') + 1);
  const headers = [...request.matchAll(/^ {2}'?((?:x-)?webhook-[\w-]+)'?: '(.*)',?$/gm)];
  const body = /^\} (\{.*\})$/m.exec(request)?.[1] ?? '';
  return [...headers.map(([, name, value]) => `${name}: ${value}`), '', body].join('\n');
}

/** Returns the sample without its values: the names of the headers, and the fields of the JSON. */
export function outlineOf(sample: string): string {
  const lines = sample.trim().split('\n');
  const json = JSON.parse(lines.pop() ?? '') as unknown;
  return [...lines.map((line) => line.split(':', 1)[0]), JSON.stringify(fieldsOf(json))].join('\n');
}

function fieldsOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(fieldsOf);
  if (typeof value !== 'object' || value === null) return null;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fieldsOf(each)]));
}
