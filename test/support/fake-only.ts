// Jest names what its fake timers leave alone, not what they replace.

const fakeable = [
  'Date',
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;

/** Replaces only these functions with those of Jest, until `jest.useRealTimers`. */
export function fakeOnly(...names: readonly (typeof fakeable)[number][]): void {
  jest.useFakeTimers({ doNotFake: fakeable.filter((name) => !names.includes(name)) });
}
