// The mail of a notice, written for an operator on call: what happened, to which webhook, since when, and what to do.
import { type OperationsEventName, testEventName } from '../model/event-name.ts';
import type {
  KeyRevocationData,
  RevocationData,
  Serialized,
  TokenRevocationData,
} from '../model/event-payload.ts';
import type {
  ExhaustedData,
  ExpiringKeyData,
  OverdueFileData,
  ReportedAttempt,
  WebhookNotice,
} from './notices.ts';

interface Payload {
  eventId: string;
  event: OperationsEventName | typeof testEventName;
  timestamp: string;
  appUid: string;
  test?: true;
  data: Serialized<WebhookNotice> &
    Serialized<ExhaustedData> &
    Serialized<ExpiringKeyData> &
    Serialized<OverdueFileData> &
    Serialized<RevocationData> &
    Serialized<TokenRevocationData> &
    Serialized<KeyRevocationData>;
}

type Writer = (payload: Payload, api: string) => string[];

/** Renders the mail of a payload; `publicUrl` is the base URL of its API calls. */
export function writeNoticeMail(
  body: string,
  publicUrl: string,
): { subject: string; text: string } {
  const payload = JSON.parse(body) as Payload;
  const { event, eventId, timestamp, appUid, test, data } = payload;
  const isSample = test === true && event !== testEventName;
  const api = `${publicUrl}/api/v1/appuid/${appUid}`;
  const lines = [
    ...(isSample ? ['This is a test, sent on request: none of this has happened.', ''] : []),
    ...writers[event](payload, api),
    '',
    `Application: ${appUid}`,
    `Time: ${timestamp}`,
    `Event: ${eventId} (another mail with this ID is a repeat)`,
    '',
    'The event as webhooks receive it:',
    '',
    JSON.stringify(payload, null, 2),
    '',
  ];
  const subject = `[agent-herald] ${isSample ? 'test of ' : ''}${event} ${data.uid}`;
  return { subject, text: lines.join('\n') };
}

const writers: Readonly<Record<Payload['event'], Writer>> = {
  'webhook.failing': ({ data }, api) => [
    `The webhook ${data.uid} to ${data.urlOrigin} is failing: no delivery has succeeded since ${data.failingSince}.`,
    lastResult(data.lastAttempt),
    '',
    ...whatFollows(data),
    '',
    `See its deliveries: GET ${api}/webhooks/${data.uid}/deliveries?${isBlocked(data) ? 'errorClass=blocked' : 'state=retrying'}`,
    `Correct its URL:    PATCH ${api}/webhooks/${data.uid} {"url": "https://hooks.example.com/new"}`,
    `Test it:            POST ${api}/webhooks/${data.uid}/test`,
    `Send them again:    POST ${api}/webhooks/${data.uid}/recover`,
  ],
  'webhook.deactivation_scheduled': ({ data }, api) => [
    `The webhook ${data.uid} to ${data.urlOrigin} will be deactivated: no delivery has succeeded since`,
    `${data.failingSince}, and some deliveries are exhausted.`,
    lastResult(data.lastAttempt),
    '',
    `What follows: the first failure after ${data.deactivatesAt} deactivates it, unless a delivery succeeds before.`,
    '',
    `See the exhausted deliveries:     GET ${api}/webhooks/${data.uid}/deliveries?state=exhausted`,
    `Test it once it is repaired:      POST ${api}/webhooks/${data.uid}/test`,
    `Restart the countdown:            PATCH ${api}/webhooks/${data.uid} {"active": true}`,
  ],
  'webhook.deactivated': ({ data }, api) => [
    `The webhook ${data.uid} to ${data.urlOrigin} was deactivated: ${whyDeactivated(data)}`,
    lastResult(data.lastAttempt),
    '',
    'What follows: its events are held, and expire after some days. Nothing more is sent to it.',
    '',
    `Resume it once it is repaired:    PATCH ${api}/webhooks/${data.uid} {"active": true}`,
    `Send lost deliveries again:       POST ${api}/webhooks/${data.uid}/replays`,
  ],
  'webhook.recovered': ({ data }, api) => [
    `The webhook ${data.uid} to ${data.urlOrigin} works again.`,
    lastResult(data.lastAttempt),
    '',
    'What follows: waiting retries are sent when they are due. Lost deliveries are not sent again automatically.',
    '',
    `Send lost deliveries again:       POST ${api}/webhooks/${data.uid}/replays`,
  ],
  'delivery.exhausted': ({ data }, api) => [
    `A delivery to the webhook ${data.uid} at ${data.urlOrigin} is exhausted: it has no attempt left.`,
    `Its event is ${data.lastAttempt.eventId} (${data.lastAttempt.event}). Exhausted since the last such notice:`,
    `${data.exhaustedCount}. There is at most one notice per minute.`,
    lastResult(data.lastAttempt),
    '',
    'What follows: nothing, until somebody sends it again.',
    '',
    `See its attempts: GET ${api}/events/${data.lastAttempt.eventId}/deliveries`,
    `Send it again:    POST ${api}/events/${data.lastAttempt.eventId}/resend {"webhookUids": ["${data.uid}"]}`,
    `Or all of them:   POST ${api}/webhooks/${data.uid}/replays`,
  ],
  'apikey.expiring': ({ data }) => [
    `The API key ${data.uid} (key ID ${data.keyId}) expires at ${data.expiresAt}.`,
    data.lastUsedAt === null ? 'It was never used.' : `It was last used at ${data.lastUsedAt}.`,
    data.rolledTo === null ? 'It has no successor.' : `Its successor is ${data.rolledTo}.`,
    '',
    'What follows: after that, every call with it is refused.',
    '',
    'Roll it in the admin area, and give its users the new key.',
  ],
  'contextfile.processing_overdue': ({ data }, api) => [
    `The context file ${data.uid} of the tenant ${data.externalTenantId} has been processing since ${data.processingSince}.`,
    '',
    'What follows: nothing more is reported until its status changes. Its ingestion may have stopped.',
    '',
    `See the file:       GET ${api}/contexts/${data.contextUid}/files/${data.uid}`,
    `See its events:     GET ${api}/events?resourceUid=${data.uid}`,
  ],
  'user.tokens_revoked': ({ data }) => [
    `The tokens of the user ${data.uid} were revoked at ${data.revokedAt}.`,
    '',
    'What follows: the service refuses the tokens issued before. The user can sign in again, unless deleted.',
  ],
  'user.token_revoked': ({ data }) => [
    `The token ${data.tokenUid} of the user ${data.uid} was revoked at ${data.revokedAt}.`,
    '',
    "What follows: the service refuses this token. The user's other tokens stay valid.",
  ],
  'application.tokens_revoked': ({ data }) => [
    `The tokens of all users were revoked at ${data.revokedAt}.`,
    '',
    'What follows: the service refuses the tokens issued before. The users can sign in again, unless the application is',
    'disabled.',
  ],
  'application.key_tokens_revoked': ({ data }) => [
    `The API key ${data.apiKeyUid} was revoked at ${data.revokedAt} together with the tokens from its sign-ins.`,
    '',
    'What follows: the service refuses the key and these tokens. The users can sign in again.',
  ],
  'webhook.test': ({ data }) => [
    `This is the requested test. The webhook ${data.uid} sends its notices to this address.`,
  ],
};

function isBlocked({ lastAttempt }: Payload['data']): boolean {
  return lastAttempt.errorClass === 'blocked';
}

function whatFollows(data: Payload['data']): string[] {
  if (isBlocked(data))
    return [
      'What follows: while the host name has no public address, its deliveries are tried again according to its schedule.',
      'If the URL itself is refused, they end as blocked and are not sent again automatically.',
    ];
  return [
    'What follows: its deliveries are retried according to its schedule. If it keeps failing, it will be deactivated, not',
    `before ${data.deactivatesAt}.`,
  ];
}

function whyDeactivated({ disabledReason, failingSince }: Payload['data']): string {
  return disabledReason === 'gone'
    ? 'it responded 410 (gone).'
    : `no delivery has succeeded since ${failingSince}.`;
}

function lastResult({ n, at, status, errorClass, detail }: Serialized<ReportedAttempt>): string {
  const result = status === null ? `${errorClass ?? 'none'} (${detail ?? ''})` : `status ${status}`;
  return `The last attempt, number ${n} of its delivery at ${at}: ${result}.`;
}
