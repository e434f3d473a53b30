// GET …/settings: the settings of the installation that matter to integrators and operators. None is secret.
import { formatSchedule } from '../../lib/webhooks/retry-schedule.ts';
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
import type { Handler } from '../route.ts';

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
    processingOverdueAfter: writeDuration(config.processingOverdueAfterMs),
    retention: {
      records: writeDuration(retention.recordsMs),
      held: writeDuration(retention.heldMs),
      auditLog: writeDuration(retention.auditMs),
    },
    userTokenLifetime: writeDuration(config.userTokenLifetimeMs),
    temporalUiUrl: config.temporalUiUrl,
    temporalNamespace: temporal.namespace,
    traceUrlTemplate: config.traceUrlTemplate,
    egressAddresses: config.egressAddresses,
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
      description:
        'A `next` key is already published. A `retiring` key is published until its last token has expired.',
    },
    createdAt: time,
    signsFrom: time,
    signsUntil: {
      ...time,
      description:
        'The time when the next key starts to sign. For the latest key, this time is planned.',
    },
  }),
);

const limitsSchema = objectOf<Shown['limits']>({
  requestBytes: count,
  payloadBytes: count,
  webhooksPerApp: count,
  attemptTimeout: text,
});

const retentionSchema = objectOf<Shown['retention']>({
  records: {
    ...text,
    description: 'How long events, settled deliveries, resends and replays are kept.',
  },
  held: { ...text, description: 'How long held deliveries are kept.' },
  auditLog: text,
});

const settingsSchema = named(
  'Settings',
  objectOf<Shown & { signingKeys: ShownKey[] }>({
    version: text,
    limits: limitsSchema,
    retrySchedule: {
      ...listOf(text),
      description: 'The retry schedule of webhooks that do not set one.',
    },
    deactivateAfter: {
      ...text,
      description: 'How long a webhook can fail before it is deactivated.',
    },
    processingOverdueAfter: {
      ...text,
      description: 'How long a context file can be processing before it is reported.',
    },
    retention: retentionSchema,
    userTokenLifetime: text,
    temporalUiUrl: {
      ...textOrNull,
      description: 'The URL of the Temporal UI, without a trailing slash. Null if it is not set.',
    },
    temporalNamespace: text,
    traceUrlTemplate: {
      ...textOrNull,
      description:
        'The URL of a page that shows a trace. Replace `{traceId}` with the ID of the trace. Null if it is not set.',
    },
    egressAddresses: {
      ...listOf(text),
      description:
        'The addresses and address ranges from which webhook requests come. Empty if the operators have not stated them.',
    },
    signingKeys: {
      ...listOf(keySchema),
      description: 'The signing keys of user tokens, from oldest to newest.',
    },
  }),
);

const facts: Operation = {
  id: 'getSettings',
  summary: 'Get the settings of the service',
  description: 'Durations are texts such as `30d`.',
  answers: { 200: { description: 'The settings', schema: settingsSchema } },
};

export const getSettings: Handler = operation(facts, async (_request, context) => {
  const keys = await context.signingKeys.terms();
  const body = { ...presentSettings(context), signingKeys: keys.map(presentKey) };
  return { status: 200, body };
});
