import { Button, Menu, ScrollArea, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ChevronDown } from 'lucide-react';
import { appsQuery } from '../api/app.tsx';
import { MenuLink } from '../parts/links.tsx';
import { Line } from '../parts/untrusted.tsx';
import { visibleText } from '../parts/visible-text.ts';

/** Switches to another application. */
export function AppSwitcher() {
  const { appUid } = useParams({ strict: false });
  const { data: apps = [] } = useQuery(appsQuery);
  const current = apps.find(({ uid }) => uid === appUid);
  if (current === undefined) return null;
  return (
    <Menu position="bottom-start" width={260}>
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          rightSection={
            <>
              {!current.active && (
                <Text span inherit mr={6}>
                  (disabled)
                </Text>
              )}
              <ChevronDown size={14} />
            </>
          }
          aria-label={`Application ${visibleText(current.name)}${current.active ? '' : ' (disabled)'}; switch`}
          maw={180}
        >
          <Line text={current.name} />
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <ScrollArea.Autosize mah={360}>
          {apps.map(({ uid, name, active }) => (
            <MenuLink key={uid} to="/apps/$appUid" params={{ appUid: uid }}>
              <Line text={name} />
              {active ? '' : ' (disabled)'}
            </MenuLink>
          ))}
        </ScrollArea.Autosize>
        <Menu.Divider />
        <MenuLink to="/apps">All applications</MenuLink>
      </Menu.Dropdown>
    </Menu>
  );
}
