import { Button, CopyButton, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { JsonTree } from './json-tree.tsx';
import { Block } from './untrusted.tsx';

interface PayloadProps {
  /** The bytes, as text. */
  text: string;
  label: string;
}

/** JSON from a stranger, as a tree and in its raw form. */
export function Payload({ text, label }: PayloadProps) {
  const parsed = useMemo(() => parse(text), [text]);
  const [view, setView] = useState('tree');
  const bytes = useMemo(() => new TextEncoder().encode(text).length, [text]);
  const isTree = parsed !== null && view === 'tree';
  return (
    <Stack gap="xs">
      <Group justify="space-between" gap="xs">
        {parsed === null ? (
          <Text size="sm">Not valid JSON.</Text>
        ) : (
          <SegmentedControl
            aria-label={`How the ${label.toLowerCase()} is shown`}
            size="xs"
            value={view}
            onChange={setView}
            data={[
              { value: 'tree', label: 'Tree' },
              { value: 'raw', label: 'Raw' },
            ]}
          />
        )}
        <Group gap="xs">
          <Text size="xs" c="dimmed">
            {bytes.toLocaleString('en')} bytes
          </Text>
          <CopyButton value={text}>
            {({ copied, copy }) => (
              <Button size="compact-xs" variant="default" onClick={copy}>
                {copied ? 'Copied' : `Copy ${label.toLowerCase()}`}
              </Button>
            )}
          </CopyButton>
        </Group>
      </Group>
      {isTree ? (
        <JsonTree value={parsed.value} label={label} />
      ) : (
        <Block text={text} label={label} />
      )}
    </Stack>
  );
}

function parse(text: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}
