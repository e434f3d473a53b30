import type { DeliveryRequest } from '@agent-herald/client';
import { Code, Stack, Table, Text, Title } from '@mantine/core';
import { Payload } from '../../parts/payload.tsx';
import { Line } from '../../parts/untrusted.tsx';

/** The request of the latest attempt. */
export function RequestCard({ request }: { request: DeliveryRequest }) {
  const { method, url, headers, body } = request;
  return (
    <Stack gap="md">
      <Text component="div" size="sm">
        <Code>{method}</Code> <Line text={url} />
      </Text>
      <Title order={3} size="h5">
        Headers
      </Title>
      <Table aria-label="Headers" layout="fixed" withRowBorders={false} verticalSpacing={2}>
        <Table.Tbody>
          {headers.map(({ name, value }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" w="38%" fw={500}>
                <Line text={name} />
              </Table.Th>
              <Table.Td ff="monospace" fz="xs">
                <Line text={value} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed">
        “…” replaces values that the service never shows: signatures, and the webhook’s own headers
        and credentials.
      </Text>
      <Title order={3} size="h5">
        Body
      </Title>
      {body === null ? (
        <Text c="dimmed">The payload was erased.</Text>
      ) : (
        <Payload text={body} label="Body" />
      )}
    </Stack>
  );
}
