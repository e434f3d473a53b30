export interface ProseLine {
  path: string;
  line: number;
  characters: number;
}

/** Returns the lines of a Markdown text that are neither in a code block nor of a table. */
export function proseLines(path: string, text: string): ProseLine[] {
  let fence: string | null = null;
  return text.split('\n').flatMap((content, index) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(content)?.[1] ?? null;
    if (mark !== null && (fence === null || mark.startsWith(fence))) {
      fence = fence === null ? mark : null;
      return [];
    }
    if (fence !== null || content.trimStart().startsWith('|')) return [];
    return [{ path, line: index + 1, characters: Array.from(content).length }];
  });
}
