import { ScrollArea, Text } from '@mantine/core';
import { Gauge, Webhook } from 'lucide-react';
import { NavItem } from '../parts/links.tsx';

const iconSize = 18;

/** The pages of an application. */
export function Navigation({ appUid }: { appUid: string }) {
  const common = { params: { appUid }, style: { borderRadius: 'var(--mantine-radius-md)' } };
  return (
    <ScrollArea component="nav" aria-label="Pages" type="auto">
      <NavItem
        {...common}
        to="/apps/$appUid"
        activeOptions={{ exact: true, includeSearch: false }}
        label="Overview"
        leftSection={<Gauge size={iconSize} />}
      />
      <NavItem
        {...common}
        to="/apps/$appUid/webhooks"
        label="Webhooks"
        leftSection={<Webhook size={iconSize} />}
      />
      <Heading>Configure</Heading>
    </ScrollArea>
  );
}

function Heading({ children }: { children: string }) {
  return (
    <Text size="xs" fw={700} c="dimmed" tt="uppercase" px="sm" pt="md" pb={4}>
      {children}
    </Text>
  );
}
