// Extracts what docs/quickstart.md tells readers to copy, by language and terminal.

interface QuickStart {
  /** Starts the service, in the first terminal. */
  readonly start: string;
  readonly sections: readonly Section[];
}

export interface Section {
  readonly language: string;
  /** The path of the example, and its code as shown. */
  readonly example: { readonly path: string; readonly code: string };
  /** Prepares the application and runs it, in the second terminal. */
  readonly application: readonly string[];
  /** Makes a change, in the third terminal. */
  readonly change: string;
  /** What the second terminal then shows. */
  readonly shown: string;
}

interface Block {
  readonly language: string;
  readonly text: string;
  /** The paragraph above it, or nothing. */
  readonly lead: string;
}

/** Throws if the document has another structure. */
export function readQuickStart(markdown: string): QuickStart {
  const [introduction = '', ...rest] = markdown.split(/^## /m);
  const starts = blocksOf(introduction).filter(isCommand);
  return {
    start: only(starts, 'introduction').text,
    sections: rest.filter((section) => section.includes('```sh')).map(readSection),
  };
}

function readSection(section: string): Section {
  const language = section.slice(0, section.indexOf('\n'));
  const blocks = blocksOf(section);
  const commands = blocks.filter(isCommand);
  const third = commands.findIndex(({ lead }) => lead.includes('In a third terminal'));
  const code = only(
    blocks.filter(({ language: of }) => of !== '' && of !== 'sh'),
    `example of ${language}`,
  );
  return {
    language,
    example: { path: /\(\.\.\/(examples\/[^)]+)\)/.exec(code.lead)?.[1] ?? '', code: code.text },
    application: commands.slice(0, third).map(({ text }) => text),
    change: only(commands.slice(third), `change of ${language}`).text,
    shown: only(
      blocks.filter(({ language: of }) => of === ''),
      `output of ${language}`,
    ).text.trim(),
  };
}

/** Returns the blocks of code in a document. */
export function blocksOf(text: string): Block[] {
  const pattern = /(?:([^\n]+(?:\n[^\n]+)*)\n\n)?^```(\w*)\n(.*?)^```$/gms;
  return [...text.matchAll(pattern)].map(([, lead = '', language = '', code = '']) => ({
    lead,
    language,
    text: code,
  }));
}

export const isCommand = ({ language }: Block): boolean => language === 'sh';

function only(blocks: readonly Block[], what: string): Block {
  const [block] = blocks;
  if (block === undefined || blocks.length !== 1)
    throw new Error(`the quick start has ${blocks.length} blocks for the ${what}, not one`);
  return block;
}
