import { Code } from '@mantine/core';

/** Shows a description of the API's contract, with the parts between backticks as code. */
export function ContractText({ text }: { text: string }) {
  return text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? part : <Code key={index}>{part}</Code>));
}
