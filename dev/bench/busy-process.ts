// A busy loop's process: keeps one processor core at work.
import { nowMs } from './clock.ts';

// In slices: a loop without end would never hear that the driver has ended.
const sliceMs = 10;

function spin(): void {
  const endMs = nowMs() + sliceMs;
  while (nowMs() < endMs);
  setImmediate(spin);
}

// Ends with the driver, however that one ended.
process.once('disconnect', () => process.exit(0));
process.send?.('ready');
spin();
