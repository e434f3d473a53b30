import { ScrollArea, Text } from '@mantine/core';
import {
  Building2,
  Gauge,
  History,
  KeyRound,
  Radio,
  ScrollText,
  Send,
  Settings,
  ShieldCheck,
  Trash2,
  Users,
  Webhook,
} from 'lucide-react';
import { NavItem } from '../parts/links.tsx';

const size = 18;
const looks = {
  style: { borderRadius: 'var(--mantine-radius-md)' },
  activeOptions: { includeSearch: false },
};

/** The pages of an application. */
export function Navigation({ appUid }: { appUid: string }) {
  const common = { ...looks, params: { appUid } };
  return (
    <ScrollArea component="nav" aria-label="Pages" type="auto">
      <NavItem
        {...common}
        to="/apps/$appUid"
        activeOptions={{ exact: true, includeSearch: false }}
        label="Overview"
        leftSection={<Gauge size={size} />}
      />
      <NavItem
        {...common}
        to="/apps/$appUid/webhooks"
        label="Webhooks"
        leftSection={<Webhook size={size} />}
      />
      <NavItem
        {...common}
        to="/apps/$appUid/deliveries"
        label="Deliveries"
        leftSection={<Send size={size} />}
      />
      <NavItem
        {...common}
        to="/apps/$appUid/events"
        label="Events"
        leftSection={<Radio size={size} />}
      />
      <NavItem
        {...common}
        to="/apps/$appUid/replays"
        label="Replays"
        leftSection={<History size={size} />}
      />
      <Heading>People</Heading>
      <NavItem
        {...common}
        to="/apps/$appUid/users"
        label="Users"
        leftSection={<Users size={size} />}
      />
      <NavItem
        {...common}
        to="/apps/$appUid/accounts"
        label="Accounts"
        leftSection={<Building2 size={size} />}
      />
      <NavItem
        {...common}
        to="/apps/$appUid/erasures"
        label="Erasures"
        leftSection={<Trash2 size={size} />}
      />
      <Heading>Configure</Heading>
      <NavItem
        {...common}
        to="/apps/$appUid/keys"
        label="API Management"
        leftSection={<KeyRound size={size} />}
      />
      <NavItem
        {...common}
        to="/apps/$appUid/members"
        label="Members"
        leftSection={<ShieldCheck size={size} />}
      />
      <NavItem
        {...common}
        to="/apps/$appUid/audit-log"
        label="Audit log"
        leftSection={<ScrollText size={size} />}
      />
      <NavItem
        {...common}
        to="/apps/$appUid/settings"
        label="Settings"
        leftSection={<Settings size={size} />}
      />
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
