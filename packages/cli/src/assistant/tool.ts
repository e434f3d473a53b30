import type { McpServer, ToolCallback } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

type Shape = z.ZodRawShape;

interface Tool<Input extends Shape> {
  name: string;
  title: string;
  description: string;
  input: Input;
  /** Whether it changes something that cannot be taken back. */
  isDestructive: boolean;
}

const resultCharactersMax = 50_000;

/** Adds a tool. Errors of its call become results that the assistant can read. */
export function addTool<Input extends Shape>(
  server: McpServer,
  { name, title, description, input, isDestructive }: Tool<Input>,
  call: (input: z.infer<z.ZodObject<Input>>) => Promise<object>,
): void {
  const annotations = {
    title,
    readOnlyHint: !isDestructive,
    destructiveHint: isDestructive,
    openWorldHint: false,
  };
  const answer = async (given: unknown): Promise<CallToolResult> => {
    try {
      return textResult(render(await call(given as z.infer<z.ZodObject<Input>>)));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { ...textResult(message), isError: true };
    }
  };
  const facts = { title, description, inputSchema: input, annotations };
  server.registerTool(name, facts, answer as ToolCallback<Input>);
}

function textResult(text: string): CallToolResult {
  return { content: [{ type: 'text', text }] };
}

function render(value: object): string {
  const text = JSON.stringify(value, null, 1);
  if (text.length <= resultCharactersMax) return text;
  const note = `… cut after ${resultCharactersMax} of ${text.length} characters; ask for less`;
  return `${text.slice(0, resultCharactersMax)}\n${note}`;
}

export const time = z.iso.datetime({ offset: true });
export const limit = z.preprocess(parsed, z.int().min(1).max(50)).default(20);
export const yesOrNo = z.preprocess(parsed, z.boolean());

export function listOf<Item extends z.ZodType>(item: Item) {
  const asList = (value: unknown): unknown => {
    const given = parsed(value);
    return typeof given === 'string' ? [given] : given;
  };
  return z.preprocess(asList, z.array(item).min(1));
}

/** Assistants may write `2`, `true` and lists as texts. */
function parsed(value: unknown): unknown {
  const text = typeof value === 'string' ? value.trim() : '';
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (!/^(?:\d{1,9}$|\[)/.test(text)) return value;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return value;
  }
}
