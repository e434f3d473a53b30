// The table of routes: method, path, scope of the key, body, handler.
import { limits } from '../lib/limits.ts';
import { changeAccountBody, createAccountBody } from './accounts/account.ts';
import { addMember } from './accounts/add-member.ts';
import { changeAccount } from './accounts/change-account.ts';
import { createAccount } from './accounts/create-account.ts';
import { deleteAccount } from './accounts/delete-account.ts';
import { getAccount } from './accounts/get-account.ts';
import { listAccounts } from './accounts/list-accounts.ts';
import { listMembers } from './accounts/list-members.ts';
import { removeMember } from './accounts/remove-member.ts';
import { adminRoutes } from './admin/admin-routes.ts';
import { listAuditLog } from './audit/list-audit-log.ts';
import { listEventTypes } from './event-types/list-event-types.ts';
import { getDelivery } from './events/get-delivery.ts';
import { getEvent } from './events/get-event.ts';
import { listDeliveries } from './events/list-deliveries.ts';
import { listEventDeliveries } from './events/list-event-deliveries.ts';
import { listEvents } from './events/list-events.ts';
import { streamEvents } from './events/stream-events.ts';
import { resendEvent, resendEventBody } from './events/resend-event.ts';
import { createAppReplay, createAppReplayBody } from './jobs/create-app-replay.ts';
import { createErasure, createErasureBody } from './jobs/create-erasure.ts';
import { getErasure } from './jobs/get-erasure.ts';
import { getHealth } from './health/get-health.ts';
import { getReadiness } from './health/get-readiness.ts';
import { getOpenapi } from './openapi/get-openapi.ts';
import { getReference, getReferenceScript } from './openapi/get-reference.ts';
import { route, type Route, routeWithBody } from './router.ts';
import { changeAgentBody, createAgentBody } from './resources/agent.ts';
import { changeAgent } from './resources/change-agent.ts';
import { changeContext } from './resources/change-context.ts';
import { changeContextFile } from './resources/change-context-file.ts';
import { changeContextBody, createContextBody } from './resources/context.ts';
import { changeContextFileBody, createContextFileBody } from './resources/context-file.ts';
import { createAgent } from './resources/create-agent.ts';
import { createContext } from './resources/create-context.ts';
import { createContextFile } from './resources/create-context-file.ts';
import { deleteAgent } from './resources/delete-agent.ts';
import { deleteContext } from './resources/delete-context.ts';
import { deleteContextFile } from './resources/delete-context-file.ts';
import { getAgent } from './resources/get-agent.ts';
import { getContext } from './resources/get-context.ts';
import { getContextFile } from './resources/get-context-file.ts';
import { listAgents } from './resources/list-agents.ts';
import { listContexts } from './resources/list-contexts.ts';
import { listContextFiles } from './resources/list-context-files.ts';
import { getDeliveryStats } from './stats/get-delivery-stats.ts';
import { reportChange, reportChangeBody } from './resources/report-change.ts';
import { changeUser } from './users/change-user.ts';
import { deleteUser } from './users/delete-user.ts';
import { getJwks } from './users/get-jwks.ts';
import { getMigrationPage } from './users/get-migration-page.ts';
import { getUser } from './users/get-user.ts';
import { listUsers } from './users/list-users.ts';
import { refuseLegacyAuth } from './users/refuse-legacy-auth.ts';
import { revokeTokensOfApp } from './users/revoke-tokens-of-app.ts';
import { revokeTokensOfUser } from './users/revoke-tokens-of-user.ts';
import { signUserIn, signUserInBody } from './users/sign-user-in.ts';
import { changeUserBody } from './users/user.ts';
import { verifyToken, verifyTokenBody } from './users/verify-token.ts';
import { cancelReplay } from './jobs/cancel-replay.ts';
import { createReplay, createReplayBody } from './jobs/create-replay.ts';
import { getReplay } from './jobs/get-replay.ts';
import { listReplays } from './jobs/list-replays.ts';
import { changeWebhook } from './webhooks/change-webhook.ts';
import { checkWebhookUrl, checkWebhookUrlBody } from './webhooks/check-webhook-url.ts';
import { createWebhook } from './webhooks/create-webhook.ts';
import { deleteWebhook } from './webhooks/delete-webhook.ts';
import { getWebhook } from './webhooks/get-webhook.ts';
import { listWebhooks } from './webhooks/list-webhooks.ts';
import { listWebhookDeliveries } from './webhooks/list-webhook-deliveries.ts';
import { testWebhook, testWebhookBody } from './webhooks/test-webhook.ts';
import { promoteSecret } from './webhooks/promote-secret.ts';
import { recoverWebhook, recoverWebhookBody } from './webhooks/recover-webhook.ts';
import { rotateSecret, rotateSecretBody } from './webhooks/rotate-secret.ts';
import { changeWebhookBody, createWebhookBody } from './webhooks/webhook-fields.ts';

const app = '/api/v1/appuid/:appUid';
const users = `${app}/sdkusers`;
const user = `${users}/:userUid`;
const account = `${app}/accounts/:accountUid`;
const webhook = `${app}/webhooks/:webhookUid`;
const agent = `${app}/agents/:agentUid`;
const context = `${app}/contexts/:contextUid`;
const file = `${context}/files/:fileUid`;
const event = `${app}/events/:eventId`;

const { credentialBytesMax } = limits;
const read = 'resources:read';
const write = 'resources:write';

// prettier-ignore
export const routes: readonly Route[] = [
  routeWithBody({ method: 'post', path: `${users}/auth`, scope: 'users:auth', body: signUserInBody, bodyBytesMax: credentialBytesMax, handler: signUserIn }),
  routeWithBody({ method: 'post', path: `${users}/token/verify`, scope: 'users:auth', body: verifyTokenBody, bodyBytesMax: credentialBytesMax, handler: verifyToken }),
  route({ method: 'post', path: `${users}/tokens/revoke`, scope: 'users:auth', handler: revokeTokensOfApp }),
  route({ method: 'post', path: `${user}/tokens/revoke`, scope: 'users:auth', handler: revokeTokensOfUser }),
  route({ method: 'get', path: users, scope: 'admin', handler: listUsers }),
  route({ method: 'get', path: user, scope: 'admin', handler: getUser }),
  routeWithBody({ method: 'patch', path: user, scope: 'admin', body: changeUserBody, handler: changeUser }),
  route({ method: 'delete', path: user, scope: 'admin', handler: deleteUser }),

  routeWithBody({ method: 'post', path: `${app}/accounts`, scope: 'admin', body: createAccountBody, handler: createAccount }),
  route({ method: 'get', path: `${app}/accounts`, scope: 'admin', handler: listAccounts }),
  route({ method: 'get', path: account, scope: 'admin', handler: getAccount }),
  routeWithBody({ method: 'patch', path: account, scope: 'admin', body: changeAccountBody, handler: changeAccount }),
  route({ method: 'delete', path: account, scope: 'admin', handler: deleteAccount }),
  route({ method: 'get', path: `${account}/members`, scope: 'admin', handler: listMembers }),
  route({ method: 'put', path: `${account}/members/:userUid`, scope: 'admin', handler: addMember }),
  route({ method: 'delete', path: `${account}/members/:userUid`, scope: 'admin', handler: removeMember }),

  route({ method: 'get', path: `${app}/event-types`, scope: 'webhooks:read', handler: listEventTypes }),
  routeWithBody({ method: 'post', path: `${app}/webhooks`, scope: 'webhooks:write', body: createWebhookBody, handler: createWebhook }),
  routeWithBody({ method: 'post', path: `${app}/webhooks/check-url`, scope: 'webhooks:write', body: checkWebhookUrlBody, handler: checkWebhookUrl }),
  route({ method: 'get', path: `${app}/webhooks`, scope: 'webhooks:read', handler: listWebhooks }),
  route({ method: 'get', path: webhook, scope: 'webhooks:read', handler: getWebhook }),
  routeWithBody({ method: 'patch', path: webhook, scope: 'webhooks:write', body: changeWebhookBody, handler: changeWebhook }),
  route({ method: 'delete', path: webhook, scope: 'webhooks:write', handler: deleteWebhook }),
  routeWithBody({ method: 'post', path: `${webhook}/secret/rotate`, scope: 'webhooks:write', body: rotateSecretBody, handler: rotateSecret }),
  route({ method: 'post', path: `${webhook}/secret/promote`, scope: 'webhooks:write', handler: promoteSecret }),
  routeWithBody({ method: 'post', path: `${webhook}/test`, scope: 'webhooks:write', body: testWebhookBody, handler: testWebhook }),
  routeWithBody({ method: 'post', path: `${webhook}/replays`, scope: 'events:write', body: createReplayBody, handler: createReplay }),
  route({ method: 'get', path: `${webhook}/replays`, id: 'listWebhookReplays', scope: 'events:read', handler: listReplays }),
  route({ method: 'get', path: `${webhook}/replays/:replayUid`, id: 'getWebhookReplay', scope: 'events:read', handler: getReplay }),
  route({ method: 'post', path: `${webhook}/replays/:replayUid/cancel`, id: 'cancelWebhookReplay', scope: 'events:write', handler: cancelReplay }),
  routeWithBody({ method: 'post', path: `${webhook}/recover`, scope: 'events:write', body: recoverWebhookBody, handler: recoverWebhook }),
  route({ method: 'get', path: `${webhook}/deliveries`, scope: 'events:read', handler: listWebhookDeliveries }),

  routeWithBody({ method: 'post', path: `${app}/agents`, scope: write, body: createAgentBody, handler: createAgent }),
  route({ method: 'get', path: `${app}/agents`, scope: read, handler: listAgents }),
  route({ method: 'get', path: agent, scope: read, handler: getAgent }),
  routeWithBody({ method: 'patch', path: agent, scope: write, body: changeAgentBody, handler: changeAgent }),
  route({ method: 'delete', path: agent, scope: write, handler: deleteAgent }),

  routeWithBody({ method: 'post', path: `${app}/contexts`, scope: write, body: createContextBody, handler: createContext }),
  route({ method: 'get', path: `${app}/contexts`, scope: read, handler: listContexts }),
  route({ method: 'get', path: context, scope: read, handler: getContext }),
  routeWithBody({ method: 'patch', path: context, scope: write, body: changeContextBody, handler: changeContext }),
  route({ method: 'delete', path: context, scope: write, handler: deleteContext }),

  routeWithBody({ method: 'post', path: `${context}/files`, scope: write, body: createContextFileBody, handler: createContextFile }),
  route({ method: 'get', path: `${context}/files`, scope: read, handler: listContextFiles }),
  route({ method: 'get', path: file, scope: read, handler: getContextFile }),
  routeWithBody({ method: 'patch', path: file, scope: write, body: changeContextFileBody, handler: changeContextFile }),
  route({ method: 'delete', path: file, scope: write, handler: deleteContextFile }),

  routeWithBody({ method: 'post', path: `${app}/changes`, scope: write, body: reportChangeBody, handler: reportChange }),

  route({ method: 'get', path: `${app}/events`, scope: 'events:read', handler: listEvents }),
  route({ method: 'get', path: `${app}/events/stream`, scope: 'events:read', handler: streamEvents }),
  route({ method: 'get', path: event, scope: 'events:read', handler: getEvent }),
  route({ method: 'get', path: `${app}/deliveries`, scope: 'events:read', handler: listDeliveries }),
  route({ method: 'get', path: `${event}/deliveries`, scope: 'events:read', handler: listEventDeliveries }),
  route({ method: 'get', path: `${event}/deliveries/:webhookUid`, scope: 'events:read', handler: getDelivery }),
  routeWithBody({ method: 'post', path: `${event}/resend`, scope: 'events:write', body: resendEventBody, handler: resendEvent }),
  routeWithBody({ method: 'post', path: `${app}/replays`, scope: 'events:write', body: createAppReplayBody, handler: createAppReplay }),
  route({ method: 'get', path: `${app}/replays`, scope: 'events:read', handler: listReplays }),
  route({ method: 'get', path: `${app}/replays/:replayUid`, scope: 'events:read', handler: getReplay }),
  route({ method: 'post', path: `${app}/replays/:replayUid/cancel`, scope: 'events:write', handler: cancelReplay }),
  routeWithBody({ method: 'post', path: `${app}/erasures`, scope: 'events:write', body: createErasureBody, handler: createErasure }),
  route({ method: 'get', path: `${app}/erasures/:erasureUid`, scope: 'events:read', handler: getErasure }),

  route({ method: 'get', path: `${app}/stats/deliveries`, scope: 'events:read', handler: getDeliveryStats }),

  route({ method: 'get', path: `${app}/audit-log`, scope: 'admin', handler: listAuditLog }),

  ...adminRoutes,

  route({ method: 'get', path: '/.well-known/jwks.json', scope: null, withoutPermit: true, handler: getJwks }),
  route({ method: 'get', path: '/healthz', scope: null, withoutPermit: true, handler: getHealth }),
  route({ method: 'get', path: '/readyz', scope: null, withoutPermit: true, handler: getReadiness }),
  route({ method: 'post', path: '/api-authenticate-embedded-user', scope: null, handler: refuseLegacyAuth }),
  route({ method: 'get', path: '/openapi.json', scope: null, handler: getOpenapi }),
  route({ method: 'get', path: '/docs', scope: null, handler: getReference }),
  route({ method: 'get', path: '/docs/scalar.js', scope: null, handler: getReferenceScript }),
  route({ method: 'get', path: '/docs/migration', scope: null, handler: getMigrationPage }),
];
