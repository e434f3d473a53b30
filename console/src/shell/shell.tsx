// What surrounds every page after the sign-in: the bar, the navigation, the place of the page.
import { AppShell, Burger, Group } from '@mantine/core';
import { useDisclosure, useIdle } from '@mantine/hooks';
import { focusManager, useQuery } from '@tanstack/react-query';
import { Link, Navigate, Outlet, useLocation, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { sessionQuery } from '../api/session.ts';
import { AccountMenu } from './account-menu.tsx';
import { AppSwitcher } from './app-switcher.tsx';
import { Keyboard } from './keyboard.tsx';
import { Navigation } from './navigation.tsx';
import { ThemeSwitch } from './theme-switch.tsx';
import classes from './shell.module.css';

const idleAfterMs = 10 * 60_000;

export function Shell() {
  const { data: session } = useQuery(sessionQuery);
  const { appUid } = useParams({ strict: false });
  const { href, pathname } = useLocation();
  const [opened, { toggle, close }] = useDisclosure();
  useEffect(close, [pathname, close]);
  usePauseWhenIdle();
  if (session === null) return <Navigate to="/sign-in" search={{ to: href }} />;
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
        Skip to the page
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
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}

/** Asks for nothing while nobody is there, so that a session ends an hour after it was last used. */
function usePauseWhenIdle(): void {
  const isIdle = useIdle(idleAfterMs);
  useEffect(() => {
    focusManager.setFocused(isIdle ? false : undefined);
    return () => focusManager.setFocused(undefined);
  }, [isIdle]);
}
