// Variables of the environment for the length of a test.

const before = new Map<string, string | undefined>();

/** Sets a variable until `unstubEnvs`. */
export function stubEnv(name: string, value: string): void {
  if (!before.has(name)) before.set(name, process.env[name]);
  process.env[name] = value;
}

/** Gives all variables that `stubEnv` set the value that they had. */
export function unstubEnvs(): void {
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  before.clear();
}
