/** A setting: how it is read, and how docs/configuration.md describes it. */
export interface Setting<T> {
  /** For the documentation, with its links. */
  readonly text: string;
  /** The default in the documentation; empty if the setting is required. */
  readonly byDefault: string;
  /** Throws an Error that says what is valid. */
  readonly parse: (text: string) => T;
  readonly isRequired: boolean;
  readonly fallback: T;
  readonly isSecret: boolean;
  /** Returns what the log contains of a value; never a secret. */
  readonly show: (value: T) => unknown;
}

type Parse<T> = Setting<T>['parse'];

const plain = { isRequired: false, isSecret: false, show: (value: unknown) => value };
const code = (text: string): string => (text === '' ? 'none' : `\`${text}\``);

/** Makes a setting with a default, which is written as an operator would. */
export function setting<T>(parse: Parse<T>, fallback: string, text: string): Setting<T> {
  return { ...plain, text, byDefault: code(fallback), parse, fallback: parse(fallback) };
}

/** Makes a setting that is null by default. `byDefault` says what that means. */
export function optional<T>(parse: Parse<T>, text: string, byDefault = 'none'): Setting<T | null> {
  return { ...plain, text, byDefault, parse, fallback: null };
}

/** Makes a setting without a default. `placeholder` is its value until its absence is reported. */
export function required<T>(parse: Parse<T>, placeholder: T, text: string): Setting<T> {
  return { ...plain, text, byDefault: '', parse, fallback: placeholder, isRequired: true };
}

/** Marks a setting as secret. Its value is not logged; `show` may return a part that is not secret. */
export function secret<T>(
  setting: Setting<T>,
  show: (value: T) => unknown = (value) => (value === null ? null : 'set'),
): Setting<T> {
  return { ...setting, isSecret: true, show };
}
