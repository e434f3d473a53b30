/** After this error it is unknown whether the work took effect. */
export class CallTimeoutError extends Error {
  override readonly name = 'CallTimeoutError';
}

/** Settles as `work` does, or rejects with a `CallTimeoutError` after `timeoutMs`. */
export async function withTimeout<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new CallTimeoutError(`a call did not end within ${timeoutMs} ms`)),
      timeoutMs,
    );
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
