// Reads a Dockerfile as far as this project's goes.

export interface Copy {
  readonly kind: 'copy';
  /** A stage's name; null: what is sent to the builder. */
  readonly from: string | null;
  readonly sources: readonly string[];
  readonly target: string;
}

interface Run {
  readonly kind: 'run';
  readonly command: string;
}

export interface Stage {
  readonly name: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly steps: readonly (Copy | Run)[];
  /** What the image runs; empty where it does not say. */
  readonly command: readonly string[];
}

/** Returns the stages in their order. */
export function parseDockerfile(text: string): Stage[] {
  const lines = text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines.reduce<Stage[]>((stages, line) => {
    const [word = '', ...rest] = line.split(/\s+/);
    if (word === 'FROM') {
      return [...stages, { name: rest[2] ?? null, env: {}, steps: [], command: [] }];
    }
    const current = stages.at(-1);
    if (current === undefined) throw new Error(`the Dockerfile begins with ${word}`);
    return [...stages.slice(0, -1), { ...current, ...effectOf(current, word, rest.join(' ')) }];
  }, []);
}

function effectOf(stage: Stage, word: string, rest: string): Partial<Stage> {
  switch (word) {
    case 'COPY': {
      return { steps: [...stage.steps, parseCopy(rest)] };
    }
    case 'RUN': {
      return { steps: [...stage.steps, { kind: 'run', command: rest }] };
    }
    case 'ENV': {
      const pairs = rest.split(/\s+/).map((pair) => pair.split(/=(.*)/s).slice(0, 2));
      return { env: { ...stage.env, ...(Object.fromEntries(pairs) as Record<string, string>) } };
    }
    case 'CMD': {
      return { command: JSON.parse(rest) as string[] };
    }
    default: {
      return {};
    }
  }
}

function parseCopy(rest: string): Copy {
  const words = rest.split(/\s+/);
  const from = words[0]?.startsWith('--from=') ? words[0].slice('--from='.length) : null;
  const paths = from === null ? words : words.slice(1);
  return { kind: 'copy', from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
}
