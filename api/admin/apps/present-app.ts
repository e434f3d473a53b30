import { limits } from '../../../lib/limits.ts';
import type { AppDocument } from '../../../lib/model/app.ts';
import { type Role, roles } from '../../../lib/model/membership.ts';
import { isActive } from '../../../lib/access/apps.ts';
import { lineField } from '../../http/text-fields.ts';
import { validator } from '../../http/validate.ts';
import {
  boolean,
  listOf,
  named,
  objectOf,
  oneOfTexts,
  orNull,
  text,
  time,
} from '../../http/schemas.ts';

export interface AppBody {
  name: string;
}

export interface ChangeAppBody extends Partial<AppBody> {
  active?: boolean;
  origins?: string[] | null;
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
  properties: {
    name,
    active: { type: 'boolean' },
    origins: {
      type: ['array', 'null'],
      minItems: 1,
      maxItems: limits.originsPerAppMax,
      uniqueItems: true,
      items: { type: 'string', maxLength: limits.originCharactersMax, format: 'origin' },
      description:
        'The origins of pages that may use tokens issued from now on, at most 1,024 bytes together; null: any.',
    },
    webhookChallenge: challengeField,
  },
});

/** Returns the public fields of an application and the caller's role. */
export function presentApp(app: AppDocument, role: Role) {
  const { _id: uid, name, origins, webhookChallenge, createdAt } = app;
  const facts = { active: isActive(app), origins, webhookChallenge };
  return { uid, name, ...facts, role, createdAt: createdAt.toISOString() };
}

export const appSchema = named(
  'App',
  objectOf<ReturnType<typeof presentApp>>({
    uid: text,
    name: text,
    active: boolean,
    origins: {
      ...orNull(listOf(text)),
      description: 'The origins of pages that may use its tokens; null: any.',
    },
    webhookChallenge: boolean,
    role: { ...oneOfTexts(roles), description: 'The role of the caller.' },
    createdAt: time,
  }),
);
