// The browsers that an admin has signed in with: guesses that others make do not hold them up.
import { randomUUID } from 'node:crypto';
import { dayMs } from '../../../lib/platform/duration.ts';
import type { AdminDocument } from '../../../lib/model/admin.ts';
import type { ApiContext } from '../../context.ts';
import { deviceCookie } from '../../access/cookies.ts';
import { openCookie, sealCookie } from '../../access/sealed-cookie.ts';

/** What the browser keeps, sealed; it opens nothing without the password. */
interface Device {
  uid: string;
  adminUid: string;
  /** The admin's `deviceEpoch` when it was given: it is good while that is unchanged. */
  epoch: number;
}

const deviceLifetimeMs = 180 * dayMs;

/** Gives the `Set-Cookie` by which a browser is known from now on as one of the admin's. */
export function rememberDevice(context: ApiContext, admin: AdminDocument): string {
  const { _id: adminUid, deviceEpoch: epoch = 0 } = admin;
  const content: Device = { uid: randomUUID(), adminUid, epoch };
  return sealCookie(context, deviceCookie, { content, lifetimeMs: deviceLifetimeMs });
}

/**
 * Gives the uid of the browser that a request comes from when the admin signed in with it before, and
 * has not changed the password or signed out everywhere since; else null (OWASP, "Slow Down Online
 * Guessing Attacks with Device Cookies").
 */
export function knownDevice(
  context: ApiContext,
  admin: AdminDocument | null,
  rawHeaders: readonly string[],
): string | null {
  const device = openCookie(context, deviceCookie, rawHeaders) as Device | null;
  if (admin === null || device?.adminUid !== admin._id) return null;
  return device.epoch === (admin.deviceEpoch ?? 0) ? device.uid : null;
}
