import { Button, Code, CopyButton, Stack } from '@mantine/core';

/** A text with a button to copy it, such as a command. */
export function Copyable({ text, copy = 'Copy' }: { text: string; copy?: string }) {
  return (
    <Stack gap="xs" align="flex-start">
      <Code block w="100%" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy: copyIt }) => (
          <Button variant="default" size="xs" onClick={copyIt}>
            {copied ? 'Copied' : copy}
          </Button>
        )}
      </CopyButton>
    </Stack>
  );
}
