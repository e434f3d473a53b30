import { ActionIcon, Menu } from '@mantine/core';
import { Ellipsis } from 'lucide-react';
import type { ReactNode } from 'react';
import { visibleText } from './visible-text.ts';

/** The menu of actions on a table row. */
export function RowMenu({ of, children }: { of: string; children: ReactNode }) {
  return (
    <Menu position="bottom-end" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${visibleText(of)}`}>
          <Ellipsis size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
