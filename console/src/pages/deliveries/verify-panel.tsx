import type { Attempt, DeliveryRequest } from '@agent-herald/client';
import { Alert, Code, List, PasswordInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useWebhookKeys } from '../../api/webhook-keys.ts';
import { formatLocal } from '../../parts/format-time.ts';
import { Block } from '../../parts/untrusted.tsx';
import { Fault } from '../../parts/fault.tsx';
import {
  type AsymmetricMessage,
  asymmetricIn,
  isSignedBy,
  isSignedByKey,
  secretFault,
  sign,
  type Signatures,
  type SignedMessage,
  signedText,
} from './signature.ts';

interface VerifyPanelProps {
  webhookUid: string;
  request: DeliveryRequest;
  body: string;
  attempts: readonly Attempt[];
}

const wrapped = { whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' } as const;
const secondsOf = (at: string): string => String(Math.floor(Date.parse(at) / 1_000));

/** Computes the signature of an attempt step by step, from a secret that stays in the browser. */
export function VerifyPanel({ webhookUid, request, body, attempts }: VerifyPanelProps) {
  const valueOf = (name: string): string =>
    request.headers.find((header) => header.name.toLowerCase() === name)?.value ?? '';
  const [chosen, setChosen] = useState<string | null>(null);
  const [secret, setSecret] = useState('');
  const [received, setReceived] = useState('');
  const timestamp = chosen ?? valueOf('webhook-timestamp');
  const message = { id: valueOf('webhook-id'), timestamp, body };
  const signatures = useSignatures(secret, message);
  const fault = secret === '' ? null : secretFault(secret);
  if (!window.isSecureContext) {
    return <Text>Open the console over HTTPS: browsers offer cryptography only there.</Text>;
  }
  return (
    <Stack gap="md">
      <Text size="sm">
        Does your receiver respond with 401? Compute the signature here and compare it with the one
        your receiver got. The secret stays in this browser.
      </Text>
      <Select
        label="Attempt"
        description="Each attempt has its own timestamp, which is part of the signed text."
        data={choicesOf(attempts, timestamp)}
        value={timestamp}
        onChange={setChosen}
        allowDeselect={false}
      />
      <List
        type="ordered"
        spacing="sm"
        size="sm"
        styles={{ itemWrapper: { width: '100%' }, itemLabel: { flex: 1, minWidth: 0 } }}
      >
        <List.Item>
          The signed text is <Code>webhook-id</Code>, <Code>webhook-timestamp</Code> and the
          unchanged body, joined with periods:
          <Block text={signedText(message)} label="Signed text" />
        </List.Item>
        <List.Item>
          The key is the decoded base64 after <Code>whsec_</Code> in the secret:
          <PasswordInput
            label="Secret of the webhook"
            value={secret}
            onChange={(event) => setSecret(event.currentTarget.value.trim())}
            error={fault}
            autoComplete="off"
            visibilityToggleButtonProps={{ 'aria-label': 'Show the secret' }}
          />
        </List.Item>
        <List.Item>
          The signature is <Code>v1,</Code> followed by the base64 of their HMAC-SHA256:
          <Made signatures={signatures} />
        </List.Item>
        <List.Item>
          <TextInput
            label="Signature that your receiver got"
            description="From the header webhook-signature or X-Webhook-Signature. A signature v1a needs no secret: it is checked with the public keys of the application. Its signed text also has the uid of the webhook and a period before the body."
            value={received}
            onChange={(event) => setReceived(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
          />
        </List.Item>
      </List>
      <Verdict signatures={signatures} received={received} />
      <AsymmetricVerdict message={{ ...message, webhookUid }} received={received} />
    </Stack>
  );
}

function choicesOf(attempts: readonly Attempt[], sent: string) {
  const now = new Date();
  const choices = attempts.map(({ n, at }) => ({
    value: secondsOf(at),
    label: `Attempt ${n} at ${formatLocal(at, now)} (${secondsOf(at)})`,
  }));
  const last = { value: sent, label: `Next attempt, if it ran now (${sent})` };
  const all = choices.some(({ value }) => value === sent) ? choices : [...choices, last];
  return [...new Map(all.map((choice) => [choice.value, choice])).values()];
}

// Not a query, because the cache would keep its input, which is a secret.
function useSignatures(secret: string, { id, timestamp, body }: SignedMessage): Signatures | null {
  const [signatures, setSignatures] = useState<Signatures | null>(null);
  useEffect(() => {
    let isCurrent = true;
    setSignatures(null);
    if (window.isSecureContext && secretFault(secret) === null)
      void sign(secret, { id, timestamp, body }).then((made) => isCurrent && setSignatures(made));
    return () => {
      isCurrent = false;
    };
  }, [secret, id, timestamp, body]);
  return signatures;
}

function Made({ signatures }: { signatures: Signatures | null }) {
  if (signatures === null) return <Text c="dimmed">Enter the secret to see the signature.</Text>;
  return (
    <Stack gap={4}>
      <Code block aria-label="webhook-signature" style={wrapped}>
        {signatures.standard}
      </Code>
      <Text size="sm">
        <Code>X-Webhook-Signature</Code> covers only the body: HMAC-SHA256 in hex, with the whole
        text of the secret as the key:
      </Text>
      <Code block aria-label="X-Webhook-Signature" style={wrapped}>
        {signatures.ofBody}
      </Code>
    </Stack>
  );
}

function Verdict({ signatures, received }: { signatures: Signatures | null; received: string }) {
  const isAsymmetric = received.trim().startsWith('v1a,') && !/\sv1,/.test(received);
  if (signatures === null || received.trim() === '' || isAsymmetric) return null;
  if (isSignedBy(received, signatures)) {
    return (
      <Alert color="teal" title="The signature matches" role="status">
        The secret, timestamp and body are correct. If your receiver still rejects the request, it
        changes the body before it verifies it, or its clock is off by more than five minutes.
      </Alert>
    );
  }
  return (
    <Alert color="red" title="The signature does not match" role="status">
      It was made with another secret, for another attempt, or for a body that differs from this
      one, such as one that was parsed and re-serialised.
    </Alert>
  );
}

function AsymmetricVerdict({
  message,
  received,
}: {
  message: AsymmetricMessage;
  received: string;
}) {
  const signatures = asymmetricIn(received);
  // An incomplete entry is not a signature, and does not match.
  const isNeeded = /(?:^|\s)v1a,/.test(received);
  const { data: keys, error } = useWebhookKeys({ isNeeded }).query;
  const verdict = useQuery({
    // Without the body, which can be large and belongs to the ID.
    queryKey: ['verdict', message.id, message.timestamp, message.webhookUid, received, keys],
    enabled: isNeeded && keys !== undefined,
    retry: false,
    queryFn: async () => {
      const results = (keys ?? []).map(({ x }) => isSignedByKey(x, message, signatures));
      return (await Promise.all(results)).includes(true);
    },
  });
  if (!isNeeded) return null;
  if (error !== null) return <Fault error={error} />;
  if (verdict.error !== null) {
    return <Text>This browser cannot check a signature v1a. Use a newer one.</Text>;
  }
  if (verdict.data === undefined) return null;
  return verdict.data ? (
    <Alert color="teal" title="The signature v1a matches" role="status">
      A key of the application made it for this webhook, timestamp and body.
    </Alert>
  ) : (
    <Alert color="red" title="The signature v1a does not match" role="status">
      No present key of the application made it for this webhook, timestamp and body. It is of
      another webhook or attempt, of an earlier key, or of a body that differs from this one.
    </Alert>
  );
}
