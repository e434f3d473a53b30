// Reads the environment, and gathers what is wrong with it into one error.

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** All the faults of an environment in one error, one line each. */
export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(`The settings are not usable:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** Reads one setting at a time and gathers the faults, so that the operator sees all of them at once. */
export class SettingReader {
  readonly faults: string[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Reads a setting; an absent or empty one takes the fallback, or is a fault where there is none. */
  read<T>(name: string, fallback: T | undefined, parse: (text: string) => T): T {
    const text = this.#environment[name]?.trim() ?? '';
    return this.collectFaults(name, fallback as T, () => {
      if (text !== '') return parse(text);
      if (fallback !== undefined) return fallback;
      throw new Error('must be set');
    });
  }

  /** Gives what `make` gives; what it throws is noted as a fault of the setting. */
  collectFaults<T>(name: string, fallback: T, make: () => T): T {
    try {
      return make();
    } catch (error) {
      this.faults.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      return fallback;
    }
  }
}
