import { ConfigError } from '../platform/config-error.ts';
import type { Setting } from './setting.ts';
import { type SettingName, settings, type SettingValues } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Collects all faults, so that the operator sees them together. */
export class SettingReader {
  readonly faults: string[] = [];
  /** What the log contains of each setting that was read. */
  readonly shown: Record<string, unknown> = {};
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Uses the default for an absent or empty setting, and after a fault. */
  read<Name extends SettingName>(name: Name): SettingValues[Name] {
    const setting: Setting<SettingValues[Name]> = settings[name];
    const text = this.#environment[name]?.trim() ?? '';
    const value = this.collectFaults(name, setting.fallback, () => {
      if (text !== '') return setting.parse(text);
      if (setting.isRequired) throw new Error('must be set');
      return setting.fallback;
    });
    this.shown[name] = setting.show(value);
    return value;
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

/** Throws a ConfigError with all faults, if there are any. */
export function readSettings<T>(environment: Environment, read: (settings: SettingReader) => T): T {
  const settings = new SettingReader(environment);
  const values = read(settings);
  if (settings.faults.length > 0) throw new ConfigError(settings.faults);
  return values;
}
