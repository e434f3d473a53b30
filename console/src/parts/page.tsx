import { Box, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';

interface PageProps {
  title: string;
  /** A sentence below the title. */
  about?: ReactNode;
  /** Buttons next to the title. */
  actions?: ReactNode;
  children: ReactNode;
}

/** A page with its title, which is also the title of the browser window. */
export function Page({ title, about, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · agent-herald`;
  }, [title]);
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start" gap="sm">
        <Box flex="1 1 260px">
          <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {about !== undefined && (
            <Text c="dimmed" component="div">
              {about}
            </Text>
          )}
        </Box>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}

interface EmptyProps {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}

/** Shown for a list without rows: why it is empty, and what to do. */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <Stack align="center" gap="xs" py="xl" ta="center">
      <Text fw={600}>{title}</Text>
      {children !== undefined && (
        <Text c="dimmed" maw={520} component="div">
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}
