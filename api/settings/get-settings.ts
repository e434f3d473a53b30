// GET …/settings: what an integrator or operator may know of the installation; nothing of it is secret.
import { formatSchedule } from '../../lib/deliveries/retry-schedule.ts';
import { keyStates, type SigningKeyTerm } from '../../lib/identity/key-rotation.ts';
import { limits } from '../../lib/limits.ts';
import { writeDuration } from '../../lib/platform/duration.ts';
import { version } from '../../lib/platform/version.ts';
import type { ApiContext } from '../context.ts';
import {
  count,
  listOf,
  named,
  objectOf,
  oneOfTexts,
  text,
  textOrNull,
  time,
} from '../http/schemas.ts';
import { operation, type Operation } from '../http/operation.ts';
import type { Handler } from '../router.ts';

function presentSettings({ config }: ApiContext) {
  const { retention, temporal } = config;
  return {
    version,
    limits: {
      requestBytes: limits.requestBytesMax,
      payloadBytes: limits.payloadBytesMax,
      webhooksPerApp: config.webhooksPerAppMax,
      attemptTimeout: writeDuration(limits.attemptTimeoutMs),
    },
    retrySchedule: formatSchedule(config.retryScheduleMs),
    deactivateAfter: writeDuration(config.deactivateAfterMs),
    retention: {
      records: writeDuration(retention.recordsMs),
      held: writeDuration(retention.heldMs),
      auditLog: writeDuration(retention.auditMs),
    },
    userTokenLifetime: writeDuration(config.userTokenLifetimeMs),
    temporalUiUrl: config.temporalUiUrl,
    temporalNamespace: temporal.namespace,
    traceUrlTemplate: config.traceUrlTemplate,
  };
}

function presentKey({ keyId, state, createdAt, signsFrom, signsUntil }: SigningKeyTerm) {
  return {
    kid: keyId,
    state,
    createdAt: createdAt.toISOString(),
    signsFrom: signsFrom.toISOString(),
    signsUntil: signsUntil.toISOString(),
  };
}

type Shown = ReturnType<typeof presentSettings>;
type ShownKey = ReturnType<typeof presentKey>;

const keySchema = named(
  'SigningKey',
  objectOf<ShownKey>({
    kid: text,
    state: {
      ...oneOfTexts(keyStates),
      description: '`next` is published already, `retiring` until its last token has expired.',
    },
    createdAt: time,
    signsFrom: time,
    signsUntil: { ...time, description: 'When the next key signs; of the latest, as planned.' },
  }),
);

const limitsSchema = objectOf<Shown['limits']>({
  requestBytes: count,
  payloadBytes: count,
  webhooksPerApp: count,
  attemptTimeout: text,
});

const retentionSchema = objectOf<Shown['retention']>({
  records: { ...text, description: 'Of events, settled deliveries, resends and replays.' },
  held: { ...text, description: 'Of deliveries that a pause keeps back.' },
  auditLog: text,
});

const settingsSchema = named(
  'Settings',
  objectOf<Shown & { signingKeys: ShownKey[] }>({
    version: text,
    limits: limitsSchema,
    retrySchedule: { ...listOf(text), description: 'Of webhooks without one of their own.' },
    deactivateAfter: { ...text, description: 'How long a webhook may fail.' },
    retention: retentionSchema,
    userTokenLifetime: text,
    temporalUiUrl: { ...textOrNull, description: 'Without a slash at its end; null if not set.' },
    temporalNamespace: text,
    traceUrlTemplate: {
      ...textOrNull,
      description: 'The page of a trace, whose id takes the place of `{traceId}`; null if not set.',
    },
    signingKeys: { ...listOf(keySchema), description: 'Of user tokens, the oldest first.' },
  }),
);

const facts: Operation = {
  id: 'getSettings',
  summary: 'Shows the settings of the service',
  description: 'Durations are texts such as `30d`.',
  answers: { 200: { description: 'The settings', schema: settingsSchema } },
};

export const getSettings: Handler = operation(facts, async (_request, context) => {
  const keys = await context.signingKeys.terms();
  const body = { ...presentSettings(context), signingKeys: keys.map(presentKey) };
  return { status: 200, body };
});
