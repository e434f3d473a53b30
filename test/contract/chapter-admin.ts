// The admin area: sessions, applications, keys, accounts, members, the audit logs.
import {
  cookieOf,
  makeTestAdmin,
  sessionHeaders,
  type TestAdmin,
} from '../support/admin-client.ts';
import { openPage } from '../support/oidc-visit.ts';
import type { Recorder } from './recorder.ts';
import type { Stage } from './stage.ts';

/** A call of a signed-in admin. */
type AdminCall = Recorder['call'];

const area = '/admin/api';

/** Plays it with the installation's first admin, who is a superuser. */
export async function playAdmin(stage: Stage): Promise<void> {
  const { call, service } = stage;
  const admin = await makeTestAdmin(service);
  const asAdmin: AdminCall = (what, request, options) =>
    call(what, request, { ...options, headers: { ...admin.headers, ...options?.headers } });
  await playSessions(stage, await makeTestAdmin(service));
  const app = `${area}/apps/${service.app.appUid}`;
  await playApps(stage, asAdmin);
  await playKeys(asAdmin, app);
  await playAccounts(asAdmin, app);
  await playMembers(stage, asAdmin);
  await playProvider(stage, admin);
  await call('the audit log of an application', 'GET …/audit-log?limit=200');
  await call('rows of an action', 'GET …/audit-log?action=webhook.created');
  await asAdmin('the audit log of an application, for admins', `GET ${app}/audit-log?limit=200`);
  await asAdmin('the audit log of the installation', `GET ${area}/audit-log?limit=200`);
  const failing = `GET ${area}/stats/failing-webhooks?limit=100`;
  await asAdmin('the failing webhooks of the installation', failing);
}

async function playSessions({ call }: Stage, { email, password }: TestAdmin): Promise<void> {
  const session = `${area}/session`;
  await call('how admins may sign in', `GET ${area}/sign-in-methods`);
  const signIn = async (given: string) => {
    const answer = await call('signs in', `POST ${session}`, { body: { email, password: given } });
    return { headers: sessionHeaders(answer) };
  };
  const wrong = { body: { email, password: 'wrong' } };
  await call('a wrong password', `POST ${session}`, wrong);
  await call('a sign-in without a password', `POST ${session}`, { body: { email } });
  const first = await signIn(password);
  await call('who is signed in', `GET ${session}`, first);
  await call('nobody is signed in', `GET ${session}`);
  const tokenless = { headers: { cookie: first.headers['cookie'] ?? '' } };
  await call('a change without the CSRF token', `DELETE ${session}`, tokenless);
  const newPassword = 'another horse 3927';
  const change = `POST ${area}/password`;
  const passwords = { currentPassword: password, newPassword };
  const body = { ...passwords, currentPassword: 'wrong' };
  await call('a wrong current password', change, { ...first, body });
  const common = { ...passwords, newPassword: 'password1234' };
  await call('a new password that breaks a rule', change, { ...first, body: common });
  const changed = await call('changes the password', change, { ...first, body: passwords });
  const second = { headers: sessionHeaders(changed) };
  await call('signs out', `DELETE ${session}`, second);
  const own = await signIn(newPassword);
  const { body: sessions } = await call('lists the own sessions', `GET ${area}/sessions`, own);
  const [ended] = sessions['data'] as unknown as { uid: string }[];
  await call('ends a session', `DELETE ${area}/sessions/${ended?.uid}`, own);
  await call('signs out everywhere', `DELETE ${area}/sessions`, await signIn(newPassword));
}

async function playApps({ call, service }: Stage, asAdmin: AdminCall): Promise<void> {
  const apps = `${area}/apps`;
  const { body: made } = await asAdmin('makes an application', `POST ${apps}`, {
    body: { name: 'Second' },
    headers: { 'idempotency-key': 'app-1' },
  });
  await asAdmin('an application without a name', `POST ${apps}`, { body: {} });
  await asAdmin('lists applications', `GET ${apps}`);
  await asAdmin('the first page of applications', `GET ${apps}?limit=1`);
  await asAdmin('shows an application', `GET ${apps}/${made['uid']}`);
  await asAdmin('renames an application', `PATCH ${apps}/${made['uid']}`, { body: { name: 'B' } });
  const origins = ['https://app.example.com'];
  await asAdmin('sets origins', `PATCH ${apps}/${made['uid']}`, { body: { origins } });
  const own = `PATCH ${apps}/${service.app.appUid}`;
  await asAdmin('disables an application', own, { body: { active: false } });
  await call('a key of a disabled application', 'GET …/agents');
  await asAdmin('enables an application', own, { body: { active: true } });
}

async function playKeys(asAdmin: AdminCall, app: string): Promise<void> {
  const keys = `${app}/keys`;
  const body = { name: 'Back end', scopes: ['users:auth', 'events:read'] };
  const headers = { 'idempotency-key': 'key-1' };
  const { body: made } = await asAdmin('generates a key', `POST ${keys}`, { body, headers });
  await asAdmin('the same key again', `POST ${keys}`, { body, headers });
  const past = { ...body, expiresAt: '2026-01-01T00:00:00Z' };
  await asAdmin('a key that has ended', `POST ${keys}`, { body: past });
  const scopeless = { ...body, scopes: ['everything'] };
  await asAdmin('a key of a scope that is none', `POST ${keys}`, { body: scopeless });
  const key = `${keys}/${made['uid']}`;
  await asAdmin('shows a key', `GET ${key}`);
  await asAdmin('deletes a key that is active', `DELETE ${key}`);
  await asAdmin('rolls a key', `POST ${key}/roll`, { body: { overlapSeconds: 60 } });
  await asAdmin('rolls a key again', `POST ${key}/roll`);
  await asAdmin('revokes a key', `POST ${key}/revoke`);
  const revokeTokens = { body: { revokeTokens: true } };
  await asAdmin('revokes the tokens of a key', `POST ${key}/revoke`, revokeTokens);
  await asAdmin('lists keys', `GET ${keys}`);
  await asAdmin('deletes a key whose tokens may be valid', `DELETE ${key}`);
  const { body: other } = await asAdmin('generates another key', `POST ${keys}`, { body });
  await asAdmin('revokes another key', `POST ${keys}/${other['uid']}/revoke`);
  await asAdmin('deletes a key', `DELETE ${keys}/${other['uid']}`);
  await asAdmin('a key that was deleted', `GET ${keys}/${other['uid']}`);
}

async function playAccounts(asAdmin: AdminCall, app: string): Promise<void> {
  const accounts = `${app}/accounts`;
  const body = { name: 'Of an admin' };
  const { body: made } = await asAdmin('makes an account', `POST ${accounts}`, { body });
  const account = `${accounts}/${made['uid']}`;
  await asAdmin('lists accounts, for admins', `GET ${accounts}`);
  await asAdmin('shows an account, for admins', `GET ${account}`);
  await asAdmin('renames an account', `PATCH ${account}`, { body: { name: 'Renamed' } });
  await asAdmin('removes an account', `DELETE ${account}`);
}

async function playMembers({ call, service }: Stage, asAdmin: AdminCall): Promise<void> {
  const [owner, viewer] = [await makeTestAdmin(service), await makeTestAdmin(service)];
  const app = `${area}/apps/${service.app.appUid}`;
  const members = `${app}/members`;
  const add = (what: string, email: string, role: string) =>
    asAdmin(what, `POST ${members}`, { body: { email, role } });
  await add('adds an owner', owner.email, 'owner');
  await add('adds a viewer', viewer.email, 'viewer');
  await add('adds a member again', viewer.email, 'admin');
  await add('adds nobody', 'nobody@example.com', 'viewer');
  await add('a role that is none', viewer.email, 'king');
  await asAdmin('lists the members of an application', `GET ${members}`);
  await asAdmin('lists the tenants of an application', `GET ${app}/tenants`);
  const { headers } = viewer;
  await call('what a viewer may not do', `PATCH ${app}`, { headers, body: { name: 'Mine' } });
  const changed = { body: { role: 'admin' } };
  await asAdmin('changes a role', `PATCH ${members}/${viewer.admin._id}`, changed);
  await asAdmin('takes a member out of it', `DELETE ${members}/${viewer.admin._id}`);
  await call('what who is no member may see', `GET ${app}`, { headers });
  await asAdmin('takes the last owner out', `DELETE ${members}/${owner.admin._id}`);
  await asAdmin(
    'changes the role of the last owner',
    `PATCH ${members}/${owner.admin._id}`,
    changed,
  );
}

/** Signs in through the identity provider, by redirects there and back. */
async function playProvider({ call, provider }: Stage, { email }: TestAdmin): Promise<void> {
  const setOut = async (what: string) => {
    const start = await call(what, `GET ${area}/oidc/start`);
    const there = await openPage(start.headers.get('location') ?? '');
    const { pathname, search } = new URL(there.headers.get('location') ?? '');
    return { request: `GET ${pathname}${search}`, headers: { cookie: cookieOf(start) } };
  };
  provider.claims = { email, email_verified: true };
  const known = await setOut('sets out to the provider');
  await call('comes back from the provider', known.request, known);
  provider.claims = { sub: 'user-2', email: 'nobody@example.com', email_verified: true };
  const unknown = await setOut('sets out again');
  await call('comes back as nobody who is known', unknown.request, unknown);
  await call('comes back without having set out', `GET ${area}/oidc/callback`);
}
