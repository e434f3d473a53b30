export type Environment = Readonly<Record<string, string | undefined>>;

export class ConfigError extends Error {
  constructor(faults: readonly string[]) {
    super(`The settings are not usable:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** Collects all faults, so that the operator sees them together. */
export class SettingReader {
  readonly faults: string[] = [];
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Uses the fallback for an absent or empty setting; without one, the absence is a fault. */
  read<T>(name: string, fallback: T | undefined, parse: (text: string) => T): T {
    const text = this.#environment[name]?.trim() ?? '';
    return this.collectFaults(name, fallback as T, () => {
      if (text !== '') return parse(text);
      if (fallback !== undefined) return fallback;
      throw new Error('must be set');
    });
  }

  collectFaults<T>(name: string, fallback: T, make: () => T): T {
    try {
      return make();
    } catch (error) {
      this.faults.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      return fallback;
    }
  }
}
