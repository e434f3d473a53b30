import { eventNames } from '../../lib/model/event-name.ts';
import type { DevFile } from '../../lib/config/dev-file.ts';
import { print } from '../servers/print.ts';
import type { DemoReceiver } from './receiver.ts';

type Json = Record<string, unknown>;

const arrivalTimeoutMs = 30_000;

/** Makes each kind of change. Returns the names of the events that arrived. Throws if a call fails. */
export async function playStory(dev: DevFile, receiver: DemoReceiver): Promise<readonly string[]> {
  const call = caller(dev);
  const session = await call('POST', '/sdkusers/auth', {
    externalId: 'demo-user',
    name: 'Ada',
    accountUids: [dev.accountUid],
  });
  print(`  token of ${String(session['userUid'])}, good until ${String(session['expiresAt'])}`);

  const webhook = await call('POST', '/webhooks', {
    url: receiver.url,
    entities: ['agent', 'context', 'contextfile'],
    active: true,
  });
  receiver.secret = String(webhook['secret']);
  const tenant = { externalTenantId: 'tenant-1' };
  const agent = await call('POST', '/agents', { agentName: 'Support', ...tenant });
  await call('PATCH', `/agents/${String(agent['uid'])}`, { live: true });
  const context = await call('POST', '/contexts', { contextName: 'Manuals', ...tenant });
  const contextPath = `/contexts/${String(context['uid'])}`;
  await call('PATCH', contextPath, { description: 'Everything we printed' });
  const file = await call('POST', `${contextPath}/files`, {
    fileName: 'manual.pdf',
    contentType: 'application/pdf',
    sizeBytes: 48_213,
  });
  const filePath = `${contextPath}/files/${String(file['uid'])}`;
  await call('PATCH', filePath, { processingStatus: 'ready' });
  await call('DELETE', filePath);
  await call('DELETE', contextPath);
  await call('DELETE', `/agents/${String(agent['uid'])}`);

  const arrived = await receiver.waitForAll(eventNames, arrivalTimeoutMs);
  await call('DELETE', `/webhooks/${String(webhook['uid'])}`);
  return arrived;
}

function caller(dev: DevFile) {
  return async (method: string, path: string, body?: Json): Promise<Json> => {
    const response = await fetch(`${dev.apiUrl}/api/v1/appuid/${dev.appUid}${path}`, {
      method,
      headers: { 'x-api-key': dev.apiKey, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    print(`\n⇒ ${method} …${path} → ${response.status}`);
    if (!response.ok) throw new Error(`${method} ${path} was answered ${response.status}: ${text}`);
    return text === '' ? {} : (JSON.parse(text) as Json);
  };
}
