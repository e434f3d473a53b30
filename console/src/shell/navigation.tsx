import { ScrollArea, Text } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import {
  Building2,
  Gauge,
  History,
  KeyRound,
  type LucideIcon,
  Radio,
  ScrollText,
  Send,
  Settings,
  ShieldCheck,
  Trash2,
  Users,
  Webhook,
  Zap,
} from 'lucide-react';
import { Fragment } from 'react';
import { NavItem } from '../parts/links.tsx';
import { type PageOfApp, pagesOfApp } from './pages.ts';

const icons: Readonly<Record<PageOfApp['to'], LucideIcon>> = {
  '/apps/$appUid': Gauge,
  '/apps/$appUid/webhooks': Webhook,
  '/apps/$appUid/deliveries': Send,
  '/apps/$appUid/events': Zap,
  '/apps/$appUid/events/live': Radio,
  '/apps/$appUid/replays': History,
  '/apps/$appUid/users': Users,
  '/apps/$appUid/accounts': Building2,
  '/apps/$appUid/erasures': Trash2,
  '/apps/$appUid/keys': KeyRound,
  '/apps/$appUid/members': ShieldCheck,
  '/apps/$appUid/audit-log': ScrollText,
  '/apps/$appUid/settings': Settings,
};
const groups = ['Watch', 'People', 'Manage'] as const;
const iconSize = 18;

/** The pages of an application. */
export function Navigation({ appUid }: { appUid: string }) {
  return (
    <ScrollArea component="nav" aria-label="Pages" type="auto">
      {groups.map((group) => (
        <Fragment key={group}>
          {group !== 'Watch' && (
            <Text size="xs" fw={700} c="dimmed" tt="uppercase" px="sm" pt="md" pb={4}>
              {group}
            </Text>
          )}
          {pagesOfApp
            .filter((page) => page.group === group)
            .map(({ to, label }) => (
              <PageLink key={to} to={to} label={label} appUid={appUid} />
            ))}
        </Fragment>
      ))}
    </ScrollArea>
  );
}

function PageLink({ to, label, appUid }: Pick<PageOfApp, 'to' | 'label'> & { appUid: string }) {
  const Icon = icons[to];
  const isLive = useLocation().pathname.endsWith('/events/live');
  // Both are above other pages of the navigation.
  const exact = to === '/apps/$appUid' || (to === '/apps/$appUid/events' && isLive);
  return (
    <NavItem
      to={to}
      params={{ appUid }}
      activeOptions={{ exact, includeSearch: false }}
      label={label}
      leftSection={<Icon size={iconSize} aria-hidden />}
      style={{ borderRadius: 'var(--mantine-radius-md)' }}
    />
  );
}
