// Browsers that an admin has signed in with: the guesses of others do not throttle them.
import { randomUUID } from 'node:crypto';
import { dayMs } from '../../../lib/platform/duration.ts';
import type { AdminDocument } from '../../../lib/model/admin.ts';
import type { ApiContext } from '../../context.ts';
import { deviceCookie } from '../../access/cookies.ts';
import { openCookie, sealCookie } from '../../access/sealed-cookie.ts';

/** The cookie's content; it opens nothing without the password. */
interface Device {
  uid: string;
  adminUid: string;
  /** Valid while the admin's `deviceEpoch` is the same. */
  epoch: number;
}

const deviceLifetimeMs = 180 * dayMs;

export function rememberDevice(context: ApiContext, admin: AdminDocument): string {
  const { _id: adminUid, deviceEpoch: epoch = 0 } = admin;
  const content: Device = { uid: randomUUID(), adminUid, epoch };
  return sealCookie(context, deviceCookie, { content, lifetimeMs: deviceLifetimeMs });
}

/** Returns the uid or null (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). */
export function knownDevice(
  context: ApiContext,
  admin: AdminDocument | null,
  rawHeaders: readonly string[],
): string | null {
  const device = openCookie(context, deviceCookie, rawHeaders) as Device | null;
  if (admin === null || device?.adminUid !== admin._id) return null;
  return device.epoch === (admin.deviceEpoch ?? 0) ? device.uid : null;
}
