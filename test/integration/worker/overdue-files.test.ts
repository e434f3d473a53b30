// Context files that stay in the status `processing`: which are reported, when and how often.
import { deleteExpired } from '../../../lib/jobs/retention/retention.ts';
import { hourMs } from '../../../lib/platform/duration.ts';
import type { OverdueFileData } from '../../../lib/webhooks/notices.ts';
import { addApp } from '../../support/add-app.ts';
import { insertWebhook, newProcessingFile } from '../../support/fixtures.ts';
import { useService } from '../../support/use-service.ts';
import { reportChange } from '../../support/webhook-calls.ts';

const service = useService({ worker: false });

test('a file that is processing for too long is reported once per stay, 50 of an application per hour', async () => {
  const event = 'contextfile.processing_overdue';
  const { store, config } = service;
  const other = { store, config, app: await addApp(service) };
  for (const app of [service, other]) {
    const fields = { kind: 'operations' as const, entities: [], url: 'http://127.0.0.1:9/' };
    await insertWebhook(app, { ...fields, events: [event] });
  }
  const reported = async (hours: number, { appUid } = service.app): Promise<unknown[]> => {
    const now = new Date(Date.now() + hours * hourMs);
    const before = { event, createdAt: { $lte: now } } as const;
    await deleteExpired({ store, ...config }, { now });
    const found = await store.events.find({ ...before, appUid }).toArray();
    await store.events.deleteMany(before);
    const files = found.map((each) => (JSON.parse(each.body) as { data: OverdueFileData }).data);
    return files.toSorted((a, b) => a.fileName.localeCompare(b.fileName));
  };
  const context = { contextName: 'Manuals', externalTenantId: 'tenant-1' };
  const { body } = await service.call('POST', '/contexts', { body: context });
  const path = `/contexts/${String(body['uid'])}/files`;
  const create = async (fileName: string, processingStatus: string): Promise<string> => {
    const file = { fileName, contentType: 'text/plain', sizeBytes: 1, processingStatus };
    const created = await service.call('POST', path, { body: file });
    return `${path}/${String(created.body['uid'])}`;
  };
  const change = (file: string, fields: object) => service.call('PATCH', file, { body: fields });
  const [hangs, ends, , later] = [
    await create('hangs', 'processing'),
    await create('ends', 'processing'),
    await create('waits', 'pending'),
    await create('begins later', 'pending'),
  ];
  await reportChange(
    service,
    { uid: 'cfl_1', processingStatus: 'processing' },
    'contextfile.updated',
  );
  await change(ends, { processingStatus: 'failed' });
  await change(later, { processingStatus: 'processing' });
  await change(hangs, { fileName: 'still hangs', processingStatus: 'processing' });
  expect(await reported(0.99)).toEqual([]);
  expect(await reported(1.01)).toMatchObject([
    { fileName: 'begins later', processingSince: expect.any(String) },
    { fileName: 'still hangs', contextUid: body['uid'], externalTenantId: 'tenant-1' },
  ]);
  expect(await reported(2)).toEqual([]);
  await change(hangs, { processingStatus: 'pending' });
  await change(hangs, { processingStatus: 'processing' });
  expect(await reported(3)).toMatchObject([{ fileName: 'still hangs' }]);

  const many = Array.from({ length: 60 }, () => newProcessingFile(service, new Date()));
  await store.contextFiles.insertMany([...many, newProcessingFile(other, new Date())]);
  expect(await reported(4, other.app)).toHaveLength(1);
  expect(await reported(4)).toHaveLength(10);
});
