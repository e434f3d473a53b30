import { Button, Code, ScrollArea, Stack } from '@mantine/core';
import { useState } from 'react';
import { visibleText } from './visible-text.ts';
import classes from './parts.module.css';

const shownAtFirst = 20_000;

/** The maximum that a line shows. */
export const lineCharacters = 300;

/** A line from a stranger: a name, a header, a URL. */
export function Line({ text }: { text: string }) {
  return (
    <bdi
      className={classes['line']}
      title={text.length > 80 ? visibleText(text.slice(0, 500)) : ''}
    >
      {visibleText(text.length > lineCharacters ? `${text.slice(0, lineCharacters)}…` : text)}
    </bdi>
  );
}

/** A text from a stranger, of any length: a payload or a response. */
export function Block({ text, label }: { text: string; label: string }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && text.length > shownAtFirst;
  return (
    <Stack gap="xs" align="flex-start">
      <ScrollArea.Autosize mah={420} w="100%" viewportProps={{ tabIndex: 0, 'aria-label': label }}>
        <Code block className={classes['block'] ?? ''} dir="ltr">
          {visibleText(isCut ? text.slice(0, shownAtFirst) : text)}
        </Code>
      </ScrollArea.Autosize>
      {isCut && (
        <Button variant="default" size="xs" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </Button>
      )}
    </Stack>
  );
}
