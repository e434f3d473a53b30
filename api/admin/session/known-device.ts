// Browsers in which an admin has signed in. They are not throttled by guesses from elsewhere.
import { randomUUID } from 'node:crypto';
import { dayMs } from '../../../lib/platform/duration.ts';
import type { AdminDocument } from '../../../lib/model/admin.ts';
import type { ApiContext } from '../../context.ts';
import { deviceCookie } from '../../access/cookies.ts';
import { openCookie, sealCookie } from '../../access/sealed-cookie.ts';

/** The content of the cookie. It is useless without the password. */
interface Device {
  uid: string;
  adminUid: string;
  /** Valid while it equals the admin's `deviceEpoch`. */
  epoch: number;
}

const deviceLifetimeMs = 180 * dayMs;

export function rememberDevice(context: ApiContext, admin: AdminDocument): string {
  const { _id: adminUid, deviceEpoch: epoch } = admin;
  const content: Device = { uid: randomUUID(), adminUid, epoch };
  return sealCookie(context, deviceCookie, { content, lifetimeMs: deviceLifetimeMs });
}

/** Returns the uid of the device, or null (OWASP, "Slow Down Online Guessing Attacks with Device Cookies"). */
export function knownDevice(
  context: ApiContext,
  admin: AdminDocument | null,
  rawHeaders: readonly string[],
): string | null {
  const device = openCookie(context, deviceCookie, rawHeaders) as Device | null;
  if (admin === null || device?.adminUid !== admin._id) return null;
  return device.epoch === admin.deviceEpoch ? device.uid : null;
}
