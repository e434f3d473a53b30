// A proxy that is not configured is logged once.
import { expect, test } from 'vitest';
import { createInstallation } from '../support/installation.ts';
import { startRole } from '../support/role-process.ts';
import { waitFor } from '../support/wait-for.ts';

test('the first forwarded request logs one warning with the name of the setting and no part of the header', async () => {
  await using installation = await createInstallation({ HERALD_TRUSTED_PROXY_HOPS: '0' });
  await using api = await startRole('api', installation.env);
  const warnings = () => api.lines.filter((line) => line.msg === 'trusted_proxy.missing');
  const visit = async (headers: Record<string, string>): Promise<void> => {
    const answer = await fetch(`http://127.0.0.1:${api.port}/nothing`, { headers });
    const requestId = answer.headers.get('x-request-id');
    await waitFor(() => api.lines.some((line) => line['requestId'] === requestId), {
      what: 'the line of the request',
    });
  };
  await visit({});
  expect(warnings()).toEqual([]);
  await visit({ forwarded: 'for=203.0.113.9' });
  await visit({ 'x-forwarded-for': '203.0.113.9' });
  expect(warnings()).toEqual([expect.objectContaining({ level: 'warn', subject: 'http' })]);
  expect(JSON.stringify(warnings())).toContain('HERALD_TRUSTED_PROXY_HOPS');
  expect(JSON.stringify(warnings())).not.toContain('203.0.113.9');
});
