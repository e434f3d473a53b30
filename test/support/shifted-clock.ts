/** Returns the environment in which the clock of a Node process is `aheadMs` ahead, or behind if negative. */
export function shiftedClock(aheadMs: number): Record<string, string> {
  const source = `
    const now = () => Reflect.get(own, 'now').call(own) + ${aheadMs};
    const own = Date;
    globalThis.Date = new Proxy(own, {
      construct: (_own, given, target) => Reflect.construct(own, given.length === 0 ? [now()] : given, target),
      get: (_own, name) => (name === 'now' ? now : Reflect.get(own, name)),
    });`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(source)}` };
}
