import {
  Alert,
  Button,
  Card,
  Center,
  Divider,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { SignInRefusedError } from '@agent-herald/client';
import { useQuery } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { admin, keepCsrfToken, serviceUrl } from '../../api/client.ts';
import { queries } from '../../api/queries.ts';
import { type Session, sessionQuery } from '../../api/session.ts';
import { Fault } from '../../parts/fault.tsx';
import { hasKeptInput } from '../../parts/kept-input.ts';
import { useChange } from '../../parts/use-change.tsx';
import { keepRequestedPath, takeRequestedPath } from './requested-path.ts';
import { pathAfterSignIn } from './path-after-sign-in.ts';

/** The sign-in page. */
export function SignIn() {
  const { to, refused, ended } = useSearch({ from: '/sign-in' });
  const router = useRouter();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  useEffect(() => {
    document.title = 'Sign in · agent-herald';
  }, []);
  const methods = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: ({ signal }) => admin.session.signInMethods({ signal }),
  });
  const signIn = useChange({
    change: () => admin.session.signIn({ email, password }),
    changes: [],
    onDone: (session) => {
      beginWith(session);
      // Below the console, so that a sign-in link cannot lead to another site.
      const requested = takeRequestedPath();
      router.history.push(router.basepath + pathAfterSignIn(to ?? requested ?? '/'));
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    signIn.mutate();
  };
  return (
    <Center mih="100vh" p="md" component="main">
      <Card withBorder shadow="sm" padding="xl" w="100%" maw={400}>
        <form onSubmit={submit}>
          <Stack>
            <Title order={1} size="h3">
              Sign in to agent-herald
            </Title>
            {ended !== undefined && (
              <Alert color="blue" variant="light" role="status" title="Your session ended">
                Sign in to return to your page.
                {hasKeptInput() && ' Your unsaved changes there are kept.'}
              </Alert>
            )}
            <TextInput
              label="Email"
              type="email"
              autoComplete="username"
              required
              withAsterisk={false}
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            <PasswordInput
              label="Password"
              autoComplete="current-password"
              required
              withAsterisk={false}
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
            />
            <Refusal error={signIn.error} wasElsewhere={refused !== undefined} />
            <Button type="submit" loading={signIn.isPending}>
              Sign in
            </Button>
            {methods.data?.oidc === true && <SignInElsewhere to={to} />}
          </Stack>
        </form>
      </Card>
    </Center>
  );
}

function SignInElsewhere({ to }: { to: string | undefined }) {
  return (
    <>
      <Divider label="or" />
      <Button
        component="a"
        variant="default"
        href={`${serviceUrl}admin/api/oidc/start`}
        onClick={() => to !== undefined && keepRequestedPath(to)}
      >
        Sign in with your identity provider
      </Button>
    </>
  );
}

function beginWith(session: Session): void {
  // Data that the previous admin saw in this browser must not be shown to this one.
  queries.clear();
  keepCsrfToken(session.csrfToken);
  queries.setQueryData(sessionQuery.queryKey, session);
}

function Refusal({ error, wasElsewhere }: { error: unknown; wasElsewhere: boolean }) {
  if (error !== null && !(error instanceof SignInRefusedError)) return <Fault error={error} />;
  if (error === null && !wasElsewhere) return null;
  return (
    <Text c="var(--mantine-color-error)" size="sm" role="alert">
      {error !== null
        ? 'The email or password is wrong.'
        : 'The identity provider did not sign you in. Ask an operator of the service whether you are an admin.'}
    </Text>
  );
}
