// Repeats an assertion until it holds, instead of sleeping.
import { waitFor, type WaitForOptions } from './wait-for.ts';

/** Waits until `assertion` no longer throws. After 60 s, or `timeoutMs`, throws what it threw last. */
export async function eventually(
  assertion: () => Promise<void>,
  options: Pick<WaitForOptions, 'timeoutMs'> = {},
): Promise<void> {
  let last: unknown;
  const holds = () =>
    assertion().then(
      () => true,
      (error: unknown) => {
        last = error;
        return false;
      },
    );
  await waitFor(holds, options).catch((error: unknown) => {
    throw last ?? error;
  });
}
