import { runProgram } from './run-program.ts';

const timeoutMs = 15 * 60_000;

/** Downloads the source of a Go module, such as `example.com/tool@v1.0.0`, and returns its folder. */
export async function goModule(requirement: string): Promise<string> {
  const printed = await runProgram('go', ['mod', 'download', '-json', requirement], { timeoutMs });
  const { Dir } = JSON.parse(printed.slice(printed.indexOf('{'))) as { Dir: string };
  return Dir;
}
