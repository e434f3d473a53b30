import type { AuditRow } from '@agent-herald/client';
import { Stack, Text } from '@mantine/core';
import type { Column } from '../../parts/data-table.tsx';
import { Uid } from '../../parts/uid.tsx';
import { AnchorLink } from '../../parts/links.tsx';
import { pagesOf } from '../../parts/pages-of.ts';
import { Line } from '../../parts/untrusted.tsx';
import { When } from '../../parts/when.tsx';
import { changesOf } from './audit-changes.ts';
import { actorOf, type Names } from './audit-rows.ts';

/** Returns the columns of an audit log. Without an application, of the log of the installation. */
export function auditColumns(appUid: string | null, names: Names): Column<AuditRow>[] {
  return [
    { label: 'Time', cell: ({ at }) => <When at={at} /> },
    { label: 'Actor', cell: ({ actor }) => <Line text={actorOf(actor, names)} /> },
    {
      label: 'Action',
      cell: ({ action, details }) => (
        <>
          <Text fw={600} size="sm" style={{ overflowWrap: 'normal' }}>
            {action}
          </Text>
          <Details details={details} names={names} />
        </>
      ),
    },
    {
      label: 'Target',
      cell: ({ target }) => <Target appUid={appUid} target={target} names={names} />,
    },
    {
      label: 'Source',
      cell: ({ address, requestId }) => (
        <Stack gap={0} align="flex-start">
          <Text size="sm">{address ?? 'the service'}</Text>
          {requestId !== null && <Uid value={requestId} />}
        </Stack>
      ),
    },
  ];
}

function Details({ details, names }: { details: Record<string, unknown>; names: Names }) {
  return changesOf(details, names)
    .filter(({ before, after }) => before !== null || after !== 'none')
    .map(({ field, before, after }) => (
      <Text key={field} size="sm" c="dimmed" component="div">
        {field}:{' '}
        {before !== null && (
          <>
            <Value text={before} /> →{' '}
          </>
        )}
        <Value text={after} />
      </Text>
    ));
}

const instant = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function Value({ text }: { text: string }) {
  return instant.test(text) ? <When at={text} /> : <Line text={text} />;
}

interface TargetProps {
  appUid: string | null;
  target: AuditRow['target'];
  names: Names;
}

/** The target of a row, with a link if its kind has a page. The target may have been deleted. */
function Target({ appUid, target: { kind, uid }, names }: TargetProps) {
  const link = appUid === null ? null : linkOf(kind, { appUid, uid });
  const shown = <Line text={names.get(uid) ?? kind.replaceAll('_', ' ')} />;
  return (
    <Stack gap={0} align="flex-start">
      <Text size="sm" component="div">
        {link === null ? (
          shown
        ) : (
          <AnchorLink {...link} inherit>
            {shown}
          </AnchorLink>
        )}
      </Text>
      <Uid value={uid} />
    </Stack>
  );
}

function linkOf(kind: string, { appUid, uid }: { appUid: string; uid: string }) {
  const pages = pagesOf(appUid, uid);
  return Object.hasOwn(pages, kind) ? pages[kind as keyof typeof pages] : null;
}
