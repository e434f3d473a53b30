// An application as the admin area sees it.
import { limits } from '../../../lib/config.ts';
import type { Role } from '../../../lib/store/admins.ts';
import type { AppDocument } from '../../../lib/store/apps.ts';
import { lineField } from '../../http/text-fields.ts';
import { validator } from '../../http/validate.ts';

export interface AppBody {
  name: string;
}

export const appBody = validator<AppBody>({
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: { name: lineField(limits.nameCharactersMax) },
});

export interface PresentedApp {
  uid: string;
  name: string;
  /** What the admin who asks may do in it. */
  role: Role;
  createdAt: string;
}

/** Gives an application's public fields. */
export function presentApp(app: AppDocument, role: Role): PresentedApp {
  return { uid: app._id, name: app.name, role, createdAt: app.createdAt.toISOString() };
}
