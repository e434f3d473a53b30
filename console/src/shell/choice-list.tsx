import { Text, UnstyledButton } from '@mantine/core';
import { visibleText } from '../parts/visible-text.ts';
import type { Finding, FindingGroup } from './findings.ts';
import classes from './palette.module.css';

interface ChoiceListProps {
  id: string;
  groups: readonly FindingGroup[];
  selected: Finding | undefined;
  onSelect: (finding: Finding) => void;
  onOpen: (finding: Finding) => void;
}

export function optionId(listId: string, groups: readonly FindingGroup[], of: Finding): string {
  return `${listId}-${groups.flatMap(({ findings }) => findings).indexOf(of)}`;
}

function showWhole(option: HTMLElement | null): void {
  option?.scrollIntoView({ block: 'nearest' });
}

/** The findings by kind. The text field above it has the focus, and moves the selection. */
export function ChoiceList({ id, groups, selected, onSelect, onOpen }: ChoiceListProps) {
  return (
    <div id={id} role="listbox" aria-label="Results" className={classes['results']}>
      {groups.map((group) => (
        <div key={group.name} role="group" aria-label={group.name}>
          <Text size="xs" fw={700} c="dimmed" px="sm" pt="xs" pb={4} aria-hidden>
            {group.name}
          </Text>
          {group.findings.map((finding) => (
            <UnstyledButton
              key={finding.id}
              id={optionId(id, groups, finding)}
              ref={finding === selected ? showWhole : null}
              role="option"
              aria-selected={finding === selected}
              tabIndex={-1}
              className={classes['result'] ?? ''}
              onMouseMove={() => onSelect(finding)}
              // Keeps the focus in the field.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => onOpen(finding)}
            >
              <bdi className={classes['text']}>{visibleText(finding.label)}</bdi>
              {finding.detail !== '' && (
                <Text component="bdi" size="xs" c="dimmed" className={classes['text'] ?? ''}>
                  {visibleText(finding.detail)}
                </Text>
              )}
            </UnstyledButton>
          ))}
          {group.isCut && (
            <Text size="xs" c="dimmed" px="sm" pb="xs" aria-hidden>
              There are more.
            </Text>
          )}
        </div>
      ))}
    </div>
  );
}
