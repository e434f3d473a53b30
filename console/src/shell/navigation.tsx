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
import { Fragment } from 'react';
import { NavItem } from '../parts/links.tsx';
import { type PageOfApp, pagesOfApp } from './pages.ts';

const groups = [
  {
    name: null,
    icons: {
      Overview: Gauge,
      Webhooks: Webhook,
      Deliveries: Send,
      Events: Radio,
      Replays: History,
    },
  },
  { name: 'People', icons: { Users, Accounts: Building2, Erasures: Trash2 } },
  {
    name: 'Configure',
    icons: {
      'API Management': KeyRound,
      Members: ShieldCheck,
      'Audit log': ScrollText,
      Settings,
    },
  },
] as const;
const iconSize = 18;

/** The pages of an application. */
export function Navigation({ appUid }: { appUid: string }) {
  return (
    <ScrollArea component="nav" aria-label="Pages" type="auto">
      {groups.map(({ name, icons }) => (
        <Fragment key={name}>
          {name !== null && (
            <Text size="xs" fw={700} c="dimmed" tt="uppercase" px="sm" pt="md" pb={4}>
              {name}
            </Text>
          )}
          {Object.entries(icons).map(([label, Icon]) => (
            <NavItem
              key={label}
              to={placeOf(label)}
              params={{ appUid }}
              activeOptions={{ exact: label === 'Overview', includeSearch: false }}
              label={label}
              leftSection={<Icon size={iconSize} aria-hidden />}
              style={{ borderRadius: 'var(--mantine-radius-md)' }}
            />
          ))}
        </Fragment>
      ))}
    </ScrollArea>
  );
}

function placeOf(label: string): PageOfApp['to'] {
  return pagesOfApp.find((page) => page.label === label)?.to ?? '/apps/$appUid';
}
