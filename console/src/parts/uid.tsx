import { CopyButton, Tooltip, UnstyledButton } from '@mantine/core';
import { visibleText } from './visible-text.ts';
import classes from './parts.module.css';

/** An ID. A click copies it. */
export function Uid({ value }: { value: string }) {
  return (
    <CopyButton value={value}>
      {({ copied, copy }) => (
        <Tooltip label="Copied" opened={copied} withArrow>
          <UnstyledButton
            className={classes['uid'] ?? ''}
            title="Copy"
            aria-label={`Copy ${visibleText(value)}`}
            onClick={(event) => {
              event.stopPropagation();
              copy();
            }}
          >
            <bdi>{visibleText(value)}</bdi>
          </UnstyledButton>
        </Tooltip>
      )}
    </CopyButton>
  );
}
