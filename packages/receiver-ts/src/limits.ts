// Rejects options that would disable the limit they set, such as NaN from an unset variable.

type Options = Readonly<Record<string, unknown>>;

/** Checks that each limit is a whole number of at least 1. Throws `TypeError`. */
export function checkLimits(limits: Options): void {
  for (const [name, limit] of Object.entries(limits))
    if (!Number.isSafeInteger(limit) || (limit as number) < 1)
      throw new TypeError(`${name} must be a whole number from 1 on`);
}

/** Checks that each value that is set is a function. Throws `TypeError`. */
export function checkFunctions(functions: Options): void {
  for (const [name, value] of Object.entries(functions))
    if (value !== null && value !== undefined && typeof value !== 'function')
      throw new TypeError(`${name} must be a function`);
}

/** Checks that a store has the required methods. Throws `TypeError`. */
export function checkStore(name: string, store: object | null, methods: readonly string[]): void {
  const has = (method: string) =>
    typeof Reflect.get(Object(store) as object, method) === 'function';
  if (!methods.every(has))
    throw new TypeError(`${name} must have the methods ${methods.join(' and ')}`);
}
