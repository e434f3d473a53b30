// The routes that only the admin area has: method, path, required access, body, handler.
import { limits } from '../../lib/limits.ts';
import { listInstallationAuditLog } from '../audit/list-audit-log.ts';
import { adminRoute, appPaths, route, type Route, signInRoute } from '../route.ts';
import { changeApp } from './apps/change-app.ts';
import { createApp } from './apps/create-app.ts';
import { getApp } from './apps/get-app.ts';
import { listApps } from './apps/list-apps.ts';
import { appBody, changeAppBody } from './apps/present-app.ts';
import { createApiKeyBody } from './keys/api-key-fields.ts';
import { createApiKey } from './keys/create-api-key.ts';
import { deleteApiKey } from './keys/delete-api-key.ts';
import { getApiKey } from './keys/get-api-key.ts';
import { listApiKeys } from './keys/list-api-keys.ts';
import { revokeApiKey, revokeApiKeyBody } from './keys/revoke-api-key.ts';
import { rollApiKey, rollApiKeyBody } from './keys/roll-api-key.ts';
import { addMember, addMemberBody } from './members/add-member.ts';
import { changeMember, changeMemberBody } from './members/change-member.ts';
import { listMembers } from './members/list-members.ts';
import { removeMember } from './members/remove-member.ts';
import { beginOidc } from './oidc/begin-oidc.ts';
import { finishOidc } from './oidc/finish-oidc.ts';
import { callbackPath } from './oidc/identity-provider.ts';
import { changePassword, changePasswordBody } from './session/change-password.ts';
import { getSession } from './session/get-session.ts';
import { getSignInMethods } from './session/get-sign-in-methods.ts';
import { listSessions } from './session/list-sessions.ts';
import { listTenants } from './tenants/list-tenants.ts';
import { listFailingWebhooks } from './stats/list-failing-webhooks.ts';
import { signIn, signInBody } from './session/sign-in.ts';
import { endSession, signOut, signOutEverywhere } from './session/sign-out.ts';

const area = '/admin/api';
const app = appPaths.admin;
const key = `${app}/keys/:keyUid`;
const member = `${app}/members/:adminUid`;

const { credentialBytesMax } = limits;

// prettier-ignore
export const adminRoutes: readonly Route[] = [
  route({ method: 'get', path: `${area}/sign-in-methods`, scope: null, handler: getSignInMethods }),
  route({ method: 'get', path: `${area}/oidc/start`, scope: null, handler: beginOidc }),
  route({ method: 'get', path: callbackPath, scope: null, handler: finishOidc }),
  signInRoute({ method: 'post', path: `${area}/session`, body: signInBody, bodyBytesMax: credentialBytesMax, handler: signIn }),
  adminRoute({ method: 'get', path: `${area}/session`, needs: 'session', handler: getSession }),
  adminRoute({ method: 'delete', path: `${area}/session`, needs: 'session', handler: signOut }),
  adminRoute({ method: 'get', path: `${area}/sessions`, needs: 'session', handler: listSessions }),
  adminRoute({ method: 'delete', path: `${area}/sessions`, needs: 'session', handler: signOutEverywhere }),
  adminRoute({ method: 'delete', path: `${area}/sessions/:sessionUid`, needs: 'session', handler: endSession }),
  adminRoute({ method: 'post', path: `${area}/password`, needs: 'session', body: changePasswordBody, bodyBytesMax: credentialBytesMax, handler: changePassword }),

  adminRoute({ method: 'get', path: `${area}/apps`, needs: 'session', handler: listApps }),
  adminRoute({ method: 'post', path: `${area}/apps`, needs: 'superuser', body: appBody, handler: createApp }),
  adminRoute({ method: 'get', path: app, needs: 'viewer', handler: getApp }),
  adminRoute({ method: 'patch', path: app, needs: 'owner', body: changeAppBody, handler: changeApp }),

  adminRoute({ method: 'get', path: `${app}/keys`, needs: 'viewer', handler: listApiKeys }),
  adminRoute({ method: 'post', path: `${app}/keys`, needs: 'admin', body: createApiKeyBody, handler: createApiKey }),
  adminRoute({ method: 'get', path: key, needs: 'viewer', handler: getApiKey }),
  adminRoute({ method: 'post', path: `${key}/roll`, needs: 'admin', body: rollApiKeyBody, handler: rollApiKey }),
  adminRoute({ method: 'post', path: `${key}/revoke`, needs: 'admin', body: revokeApiKeyBody, handler: revokeApiKey }),
  adminRoute({ method: 'delete', path: key, needs: 'admin', handler: deleteApiKey }),

  adminRoute({ method: 'get', path: `${app}/members`, needs: 'viewer', handler: listMembers }),
  adminRoute({ method: 'post', path: `${app}/members`, needs: 'owner', body: addMemberBody, handler: addMember }),
  adminRoute({ method: 'patch', path: member, needs: 'owner', body: changeMemberBody, handler: changeMember }),
  adminRoute({ method: 'delete', path: member, needs: 'owner', handler: removeMember }),

  adminRoute({ method: 'get', path: `${app}/tenants`, needs: 'viewer', handler: listTenants }),

  adminRoute({ method: 'get', path: `${area}/audit-log`, needs: 'superuser', handler: listInstallationAuditLog }),
  adminRoute({ method: 'get', path: `${area}/stats/failing-webhooks`, needs: 'superuser', handler: listFailingWebhooks }),
];
