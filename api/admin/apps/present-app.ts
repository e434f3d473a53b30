import { limits } from '../../../lib/limits.ts';
import type { AppDocument } from '../../../lib/model/app.ts';
import { type Role, roles } from '../../../lib/model/membership.ts';
import { isActive } from '../../../lib/access/apps.ts';
import { lineField } from '../../http/text-fields.ts';
import { validator } from '../../http/validate.ts';
import { boolean, named, objectOf, oneOfTexts, text, time } from '../../http/schemas.ts';

export interface AppBody {
  name: string;
}

export interface ChangeAppBody extends Partial<AppBody> {
  active?: boolean;
  webhookChallenge?: boolean;
}

const name = lineField(limits.nameCharactersMax);

const challengeField = {
  type: 'boolean',
  description:
    'Whether a receiver must answer a challenge before its webhook is created active, is resumed, or gets another URL while active.',
};

export const appBody = validator<AppBody>({
  required: ['name'],
  properties: { name },
});

export const changeAppBody = validator<ChangeAppBody>({
  properties: { name, active: { type: 'boolean' }, webhookChallenge: challengeField },
});

/** Returns the public fields of an application and the caller's role. */
export function presentApp(app: AppDocument, role: Role) {
  const { _id: uid, name, webhookChallenge = false, createdAt } = app;
  const active = isActive(app);
  return { uid, name, active, webhookChallenge, role, createdAt: createdAt.toISOString() };
}

export const appSchema = named(
  'App',
  objectOf<ReturnType<typeof presentApp>>({
    uid: text,
    name: text,
    active: boolean,
    webhookChallenge: boolean,
    role: { ...oneOfTexts(roles), description: 'The role of the caller.' },
    createdAt: time,
  }),
);
