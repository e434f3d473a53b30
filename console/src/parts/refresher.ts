interface Refresher {
  /** Asks for a refresh: immediately, or after the current one and the rest of the interval. */
  ask: () => void;
  stop: () => void;
}

/** Refreshes on request, one at a time, and at most once per interval. */
export function createRefresher(refresh: () => Promise<unknown>, everyMs: number): Refresher {
  let isBusy = false;
  let isAsked = false;
  let isStopped = false;
  const work = async (): Promise<void> => {
    isBusy = true;
    isAsked = false;
    const interval = new Promise((resolve) => setTimeout(resolve, everyMs));
    await Promise.allSettled([refresh(), interval]);
    isBusy = false;
    if (isAsked && !isStopped) await work();
  };
  return {
    ask: () => {
      isAsked = true;
      if (!isBusy) void work();
    },
    stop: () => {
      isStopped = true;
    },
  };
}
