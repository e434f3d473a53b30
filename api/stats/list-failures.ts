// GET …/stats/failures: why the failing webhooks fail.
import { errorClasses } from '../../lib/model/attempt.ts';
import { changedParts, type Failure, readFailures } from '../../lib/history/failures.ts';
import {
  count,
  listOf,
  named,
  objectOf,
  oneOfTexts,
  orNull,
  text,
  textOrNull,
  time,
  timeOrNull,
} from '../http/schemas.ts';
import { operation, type Operation } from '../http/operation.ts';
import type { Handler } from '../route.ts';

function presentFailure({ webhookUid, failingSince, latest, change }: Failure) {
  return {
    webhookUid,
    failingSince: failingSince?.toISOString() ?? null,
    latest: latest && {
      eventId: latest.eventId,
      at: latest.attempt.at.toISOString(),
      status: latest.attempt.status,
      errorClass: latest.attempt.errorClass,
      detail: latest.attempt.detail,
    },
    change: change && { what: change.what, at: change.at.toISOString() },
  };
}

type Presented = ReturnType<typeof presentFailure>;

const latestSchema = named(
  'LatestFailure',
  objectOf<NonNullable<Presented['latest']>>({
    eventId: text,
    at: time,
    status: orNull({ type: 'integer' }),
    errorClass: orNull(oneOfTexts(errorClasses)),
    detail: textOrNull,
  }),
);

const changeSchema = named(
  'WebhookChange',
  objectOf<NonNullable<Presented['change']>>({
    what: {
      ...oneOfTexts(changedParts),
      description:
        '`secret`: a rotation. `previous_secret_ended`: the end of its overlap, after which receivers with the old secret refuse requests.',
    },
    at: time,
  }),
);

const failureSchema = named(
  'WebhookFailure',
  objectOf<Presented>({
    webhookUid: text,
    failingSince: timeOrNull,
    latest: {
      ...orNull(latestSchema),
      description: 'The last attempt of the newest delivery that failed.',
    },
    change: {
      ...orNull(changeSchema),
      description: 'The latest change of the webhook in the hour before it began to fail.',
    },
  }),
);

const facts: Operation = {
  id: 'listFailures',
  summary: 'List why webhooks fail',
  description:
    'The list has the failing and deactivated webhooks that began to fail last, at most 100.',
  answers: {
    200: {
      description: 'The failing webhooks',
      schema: named(
        'WebhookFailures',
        objectOf<{ failures: unknown; moreCount: number }>({
          failures: listOf(failureSchema),
          moreCount: { ...count, description: 'The number of failing webhooks that are left out.' },
        }),
      ),
    },
  },
};

export const listFailures: Handler = operation(facts, async ({ appUid }, { store }) => {
  const { failures, moreCount } = await readFailures(store, appUid);
  return { status: 200, body: { failures: failures.map(presentFailure), moreCount } };
});
