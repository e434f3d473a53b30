// The container engine that the deployment is tried on: the one of this machine, or one that is started for it.
import { isRecord } from '../../../lib/platform/error-code.ts';
import { reasonOf, runProgram } from '../../servers/run-program.ts';

const shownLines = 15;

export interface EngineFacts {
  /** The environment of `docker` and of the program of Compose. */
  readonly env: NodeJS.ProcessEnv;
  /** The program of Compose, with its first arguments. */
  readonly compose: readonly [program: string, ...args: string[]];
  /** The address at which containers reach this machine. */
  readonly hostAddress: string;
  /** The address of the engine's published ports. */
  readonly publishAddress: string;
}

interface RunOptions {
  readonly timeoutMs: number;
}

/** Runs the programs of a container engine. Each call throws the last lines of what the program printed. */
export class Engine {
  readonly #facts: EngineFacts;

  constructor(facts: EngineFacts) {
    this.#facts = facts;
  }

  get hostAddress(): string {
    return this.#facts.hostAddress;
  }

  get publishAddress(): string {
    return this.#facts.publishAddress;
  }

  docker(args: readonly string[], options: RunOptions): Promise<string> {
    return this.#run('docker', args, options);
  }

  compose(args: readonly string[], options: RunOptions): Promise<string> {
    const [program, ...first] = this.#facts.compose;
    return this.#run(program, [...first, ...args], options);
  }

  async #run(program: string, args: readonly string[], options: RunOptions): Promise<string> {
    try {
      return await runProgram(program, args, { ...options, env: this.#facts.env });
    } catch (error) {
      throw new Error(`${program} ${args.join(' ')}: ${lastLines(error)}`, { cause: error });
    }
  }
}

function lastLines(error: unknown): string {
  const cause = isRecord(error) ? error['cause'] : undefined;
  const { stdout, stderr } = isRecord(cause) ? cause : {};
  const printed = [stdout, stderr]
    .filter((text) => typeof text === 'string')
    .join('')
    .trim();
  if (printed === '') return reasonOf(error);
  return `${reasonOf(error)}\n${printed.split('\n').slice(-shownLines).join('\n')}`;
}
