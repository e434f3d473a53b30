// The frame of every page after the sign-in: the bar, the navigation and the page.
import { AppShell, Burger, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import {
  Link,
  Outlet,
  useLocation,
  useNavigate,
  useParams,
  useRouter,
} from '@tanstack/react-router';
import { useEffect } from 'react';
import { type Session, sessionQuery } from '../api/session.ts';
import { AccountMenu } from './account-menu.tsx';
import { AppSwitcher } from './app-switcher.tsx';
import { IdleNotice } from './idle-notice.tsx';
import { Keyboard } from './keyboard.tsx';
import { Navigation } from './navigation.tsx';
import { OutageBanner } from './outage-banner.tsx';
import { ThemeSwitch } from './theme-switch.tsx';
import classes from './shell.module.css';

export function Shell() {
  const { data: session } = useQuery(sessionQuery);
  const { appUid } = useParams({ strict: false });
  const { pathname } = useLocation();
  const [opened, { toggle, close }] = useDisclosure();
  useEffect(close, [pathname, close]);
  useSignInAfter(session);
  if (session === null) return null;
  return (
    <AppShell
      header={{ height: 56 }}
      transitionDuration={0}
      {...(appUid === undefined
        ? {}
        : { navbar: { width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } } })}
      padding={{ base: 'sm', sm: 'lg' }}
    >
      <a href="#main" className={classes['skip']}>
        Skip to content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" gap="sm" wrap="nowrap" justify="space-between">
          <Group gap="sm" wrap="nowrap" miw={0}>
            {appUid !== undefined && (
              <Burger
                opened={opened}
                onClick={toggle}
                hiddenFrom="sm"
                size="sm"
                aria-label="Navigation"
              />
            )}
            <Link to="/apps" className={classes['brand'] ?? ''} aria-label="agent-herald">
              <img src="icon.svg" alt="" width={26} height={26} />
              <span className={classes['name']}>agent-herald</span>
            </Link>
            <AppSwitcher />
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Keyboard appUid={appUid} />
            <ThemeSwitch />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      {appUid !== undefined && (
        <AppShell.Navbar p="sm">
          <Navigation appUid={appUid} />
        </AppShell.Navbar>
      )}
      <AppShell.Main id="main" tabIndex={-1}>
        <IdleNotice />
        <OutageBanner />
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}

/** Opens the sign-in page when the session ends. Forms keep their input. */
function useSignInAfter(session: Session | null | undefined): void {
  const router = useRouter();
  const navigate = useNavigate();
  useEffect(() => {
    const { pathname, href } = router.latestLocation;
    if (session !== null || pathname === '/sign-in') return;
    void navigate({ to: '/sign-in', search: { to: href, ended: 'yes' }, ignoreBlocker: true });
  }, [session, router, navigate]);
}
