// The table of routes: method, path, scope of the key, body, handler. Most are also for admins.
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
import { explainEvent } from './events/explain-event.ts';
import { getDelivery } from './events/get-delivery.ts';
import { getEvent } from './events/get-event.ts';
import { listDeliveries } from './events/list-deliveries.ts';
import { listEventDeliveries } from './events/list-event-deliveries.ts';
import { listEvents } from './events/list-events.ts';
import { streamEvents } from './events/stream-events.ts';
import { skipDelivery } from './events/skip-delivery.ts';
import { resendEvent, resendEventBody } from './events/resend-event.ts';
import { createAppReplay, createAppReplayBody } from './jobs/create-app-replay.ts';
import { getDocument } from './documents/get-document.ts';
import { getLlmsText } from './documents/get-llms-text.ts';
import { createErasure, createErasureBody } from './jobs/create-erasure.ts';
import { cancelSync } from './jobs/cancel-sync.ts';
import { getErasure } from './jobs/get-erasure.ts';
import { getSync } from './jobs/get-sync.ts';
import { listSyncs } from './jobs/list-syncs.ts';
import { syncWebhook, syncWebhookBody } from './jobs/sync-webhook.ts';
import { listErasures } from './jobs/list-erasures.ts';
import { getHealth } from './health/get-health.ts';
import { getReadiness } from './health/get-readiness.ts';
import { getOpenapi } from './openapi/get-openapi.ts';
import { getReference, getReferenceScript } from './openapi/get-reference.ts';
import { appPaths, appRoute, route, type Route } from './route.ts';
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
import { getSettings } from './settings/get-settings.ts';
import { getWebhookSources } from './settings/get-webhook-sources.ts';
import { getBacklog } from './stats/get-backlog.ts';
import { getDeliveryStats } from './stats/get-delivery-stats.ts';
import { listFailures } from './stats/list-failures.ts';
import { listLatestOutcomes } from './stats/list-latest-outcomes.ts';
import { listWebhookStats } from './stats/list-webhook-stats.ts';
import { reportChange, reportChangeBody } from './resources/report-change.ts';
import { changeUser } from './users/change-user.ts';
import { deleteUser } from './users/delete-user.ts';
import { getJwks } from './users/get-jwks.ts';
import { getMigrationPage } from './users/get-migration-page.ts';
import { getOpenidConfiguration } from './users/get-openid-configuration.ts';
import { getUser } from './users/get-user.ts';
import { listTokens } from './users/list-tokens.ts';
import { listUsers } from './users/list-users.ts';
import { refuseLegacyAuth } from './users/refuse-legacy-auth.ts';
import { revokeToken } from './users/revoke-token.ts';
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
import { getWebhookKeys } from './webhooks/get-webhook-keys.ts';
import { listWebhookDeliveries } from './webhooks/list-webhook-deliveries.ts';
import { testWebhook, testWebhookBody } from './webhooks/test-webhook.ts';
import { promoteSecret } from './webhooks/promote-secret.ts';
import { recoverWebhook, recoverWebhookBody } from './jobs/recover-webhook.ts';
import { rotateSecret, rotateSecretBody } from './webhooks/rotate-secret.ts';
import { changeWebhookBody, createWebhookBody } from './webhooks/webhook-fields.ts';

const app = appPaths.key;
const user = '/sdkusers/:userUid';
const account = '/accounts/:accountUid';
const webhook = '/webhooks/:webhookUid';
const agent = '/agents/:agentUid';
const context = '/contexts/:contextUid';
const file = `${context}/files/:fileUid`;
const event = '/events/:eventId';

const { credentialBytesMax } = limits;
const read = 'resources:read';
const write = 'resources:write';

// prettier-ignore
export const routes: readonly Route[] = [
  route({ method: 'post', path: `${app}/sdkusers/auth`, scope: 'users:auth', body: signUserInBody, bodyBytesMax: credentialBytesMax, handler: signUserIn }),
  route({ method: 'post', path: `${app}/sdkusers/token/verify`, scope: 'users:auth', body: verifyTokenBody, bodyBytesMax: credentialBytesMax, handler: verifyToken }),
  appRoute({ method: 'post', path: '/sdkusers/tokens/revoke', scope: 'users:auth', handler: revokeTokensOfApp }),
  appRoute({ method: 'post', path: `${user}/tokens/revoke`, scope: 'users:auth', handler: revokeTokensOfUser }),
  appRoute({ method: 'get', path: `${user}/tokens`, scope: 'users:auth', handler: listTokens }),
  appRoute({ method: 'post', path: `${user}/tokens/:tokenUid/revoke`, scope: 'users:auth', handler: revokeToken }),
  appRoute({ method: 'get', path: '/sdkusers', scope: 'admin', handler: listUsers }),
  appRoute({ method: 'get', path: user, scope: 'admin', handler: getUser }),
  appRoute({ method: 'patch', path: user, scope: 'admin', body: changeUserBody, handler: changeUser }),
  appRoute({ method: 'delete', path: user, scope: 'admin', handler: deleteUser }),

  appRoute({ method: 'post', path: '/accounts', scope: 'admin', body: createAccountBody, handler: createAccount }),
  appRoute({ method: 'get', path: '/accounts', scope: 'admin', handler: listAccounts }),
  appRoute({ method: 'get', path: account, scope: 'admin', handler: getAccount }),
  appRoute({ method: 'patch', path: account, scope: 'admin', body: changeAccountBody, handler: changeAccount }),
  appRoute({ method: 'delete', path: account, scope: 'admin', handler: deleteAccount }),
  appRoute({ method: 'get', path: `${account}/members`, scope: 'admin', handler: listMembers }),
  appRoute({ method: 'put', path: `${account}/members/:userUid`, scope: 'admin', handler: addMember }),
  appRoute({ method: 'delete', path: `${account}/members/:userUid`, scope: 'admin', handler: removeMember }),

  appRoute({ method: 'get', path: '/event-types', scope: 'webhooks:read', handler: listEventTypes }),
  appRoute({ method: 'post', path: '/webhooks', scope: 'webhooks:write', body: createWebhookBody, handler: createWebhook }),
  appRoute({ method: 'post', path: '/webhooks/check-url', scope: 'webhooks:write', body: checkWebhookUrlBody, handler: checkWebhookUrl }),
  appRoute({ method: 'get', path: '/webhooks', scope: 'webhooks:read', handler: listWebhooks }),
  appRoute({ method: 'get', path: webhook, scope: 'webhooks:read', handler: getWebhook }),
  appRoute({ method: 'patch', path: webhook, scope: 'webhooks:write', body: changeWebhookBody, handler: changeWebhook }),
  route({ method: 'patch', path: `${app}/webhooks/uid/:webhookUid`, id: 'changeWebhookByUid', scope: 'webhooks:write', body: changeWebhookBody, handler: changeWebhook }),
  appRoute({ method: 'delete', path: webhook, scope: 'webhooks:write', handler: deleteWebhook }),
  appRoute({ method: 'post', path: `${webhook}/secret/rotate`, scope: 'webhooks:write', body: rotateSecretBody, handler: rotateSecret }),
  appRoute({ method: 'post', path: `${webhook}/secret/promote`, scope: 'webhooks:write', handler: promoteSecret }),
  appRoute({ method: 'post', path: `${webhook}/test`, scope: 'webhooks:write', body: testWebhookBody, handler: testWebhook }),
  appRoute({ method: 'post', path: `${webhook}/replays`, scope: 'events:write', body: createReplayBody, handler: createReplay }),
  appRoute({ method: 'get', path: `${webhook}/replays`, id: 'listWebhookReplays', scope: 'events:read', handler: listReplays }),
  appRoute({ method: 'get', path: `${webhook}/replays/:replayUid`, id: 'getWebhookReplay', scope: 'events:read', handler: getReplay }),
  appRoute({ method: 'post', path: `${webhook}/replays/:replayUid/cancel`, id: 'cancelWebhookReplay', scope: 'events:write', handler: cancelReplay }),
  appRoute({ method: 'post', path: `${webhook}/sync`, scope: 'events:write', body: syncWebhookBody, handler: syncWebhook }),
  appRoute({ method: 'post', path: `${webhook}/recover`, scope: 'events:write', body: recoverWebhookBody, handler: recoverWebhook }),
  appRoute({ method: 'get', path: `${webhook}/deliveries`, scope: 'events:read', handler: listWebhookDeliveries }),

  route({ method: 'post', path: `${app}/agents`, scope: write, body: createAgentBody, handler: createAgent }),
  appRoute({ method: 'get', path: '/agents', scope: read, handler: listAgents }),
  appRoute({ method: 'get', path: agent, scope: read, handler: getAgent }),
  route({ method: 'patch', path: `${app}${agent}`, scope: write, body: changeAgentBody, handler: changeAgent }),
  route({ method: 'delete', path: `${app}${agent}`, scope: write, handler: deleteAgent }),

  route({ method: 'post', path: `${app}/contexts`, scope: write, body: createContextBody, handler: createContext }),
  appRoute({ method: 'get', path: '/contexts', scope: read, handler: listContexts }),
  appRoute({ method: 'get', path: context, scope: read, handler: getContext }),
  route({ method: 'patch', path: `${app}${context}`, scope: write, body: changeContextBody, handler: changeContext }),
  route({ method: 'delete', path: `${app}${context}`, scope: write, handler: deleteContext }),

  route({ method: 'post', path: `${app}${context}/files`, scope: write, body: createContextFileBody, handler: createContextFile }),
  appRoute({ method: 'get', path: `${context}/files`, scope: read, handler: listContextFiles }),
  appRoute({ method: 'get', path: file, scope: read, handler: getContextFile }),
  route({ method: 'patch', path: `${app}${file}`, scope: write, body: changeContextFileBody, handler: changeContextFile }),
  route({ method: 'delete', path: `${app}${file}`, scope: write, handler: deleteContextFile }),

  route({ method: 'post', path: `${app}/changes`, scope: write, body: reportChangeBody, handler: reportChange }),

  appRoute({ method: 'get', path: '/events', scope: 'events:read', handler: listEvents }),
  appRoute({ method: 'get', path: '/events/stream', scope: 'events:read', handler: streamEvents }),
  appRoute({ method: 'get', path: event, scope: 'events:read', handler: getEvent }),
  appRoute({ method: 'get', path: '/deliveries', scope: 'events:read', handler: listDeliveries }),
  appRoute({ method: 'get', path: `${event}/deliveries`, scope: 'events:read', handler: listEventDeliveries }),
  appRoute({ method: 'get', path: `${event}/deliveries/:webhookUid`, scope: 'events:read', handler: getDelivery }),
  appRoute({ method: 'post', path: `${event}/deliveries/:webhookUid/cancel`, scope: 'events:write', handler: skipDelivery }),
  appRoute({ method: 'get', path: `${event}/webhooks`, scope: 'webhooks:read', handler: explainEvent }),
  appRoute({ method: 'post', path: `${event}/resend`, scope: 'events:write', body: resendEventBody, handler: resendEvent }),
  appRoute({ method: 'post', path: '/replays', scope: 'events:write', body: createAppReplayBody, handler: createAppReplay }),
  appRoute({ method: 'get', path: '/replays', scope: 'events:read', handler: listReplays }),
  appRoute({ method: 'get', path: '/replays/:replayUid', scope: 'events:read', handler: getReplay }),
  appRoute({ method: 'post', path: '/replays/:replayUid/cancel', scope: 'events:write', handler: cancelReplay }),
  appRoute({ method: 'get', path: '/syncs', scope: 'events:read', handler: listSyncs }),
  appRoute({ method: 'get', path: '/syncs/:syncUid', scope: 'events:read', handler: getSync }),
  appRoute({ method: 'post', path: '/syncs/:syncUid/cancel', scope: 'events:write', handler: cancelSync }),
  appRoute({ method: 'post', path: '/erasures', scope: 'events:write', body: createErasureBody, handler: createErasure }),
  appRoute({ method: 'get', path: '/erasures', scope: 'events:read', handler: listErasures }),
  appRoute({ method: 'get', path: '/erasures/:erasureUid', scope: 'events:read', handler: getErasure }),

  appRoute({ method: 'get', path: '/stats/deliveries', scope: 'events:read', handler: getDeliveryStats }),
  appRoute({ method: 'get', path: '/stats/backlog', scope: 'events:read', handler: getBacklog }),
  appRoute({ method: 'get', path: '/stats/failures', scope: 'events:read', handler: listFailures }),
  appRoute({ method: 'get', path: '/stats/webhooks', scope: 'events:read', handler: listWebhookStats }),
  appRoute({ method: 'get', path: '/stats/outcomes', scope: 'events:read', handler: listLatestOutcomes }),

  appRoute({ method: 'get', path: '/settings', scope: 'webhooks:read', handler: getSettings }),

  appRoute({ method: 'get', path: '/audit-log', scope: 'admin', handler: listAuditLog }),

  ...adminRoutes,

  route({ method: 'get', path: '/.well-known/jwks.json', scope: null, withoutPermit: true, handler: getJwks }),
  route({ method: 'get', path: '/.well-known/openid-configuration', scope: null, withoutPermit: true, handler: getOpenidConfiguration }),
  route({ method: 'get', path: '/.well-known/webhook-sources.json', scope: null, withoutPermit: true, handler: getWebhookSources }),
  route({ method: 'get', path: `${app}/.well-known/webhook-keys.json`, scope: null, handler: getWebhookKeys }),
  route({ method: 'get', path: '/healthz', scope: null, withoutPermit: true, handler: getHealth }),
  route({ method: 'get', path: '/readyz', scope: null, withoutPermit: true, handler: getReadiness }),
  route({ method: 'post', path: '/api-authenticate-embedded-user', scope: null, handler: refuseLegacyAuth }),
  route({ method: 'get', path: '/openapi.json', scope: null, handler: getOpenapi }),
  route({ method: 'get', path: '/docs', scope: null, handler: getReference }),
  route({ method: 'get', path: '/docs/scalar.js', scope: null, handler: getReferenceScript }),
  route({ method: 'get', path: '/docs/migration', scope: null, handler: getMigrationPage }),
  route({ method: 'get', path: '/docs/:documentName', scope: null, handler: getDocument }),
  route({ method: 'get', path: '/llms.txt', scope: null, handler: getLlmsText }),
].flat();
