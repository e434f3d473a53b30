// The table of pages: path, filters in the address, component. Each page is loaded when it is opened.
import { createRouter } from '@tanstack/react-router';
import { Fault } from './parts/fault.tsx';
import { Placeholder } from './parts/loaded.tsx';
import { pagesOfApp } from './routes/app.ts';
import { basepath, pagesOfConsole, root, signedIn, signIn } from './routes/console.ts';

const tree = root.addChildren([signIn, signedIn.addChildren([...pagesOfConsole, pagesOfApp])]);

export const router = createRouter({
  routeTree: tree,
  basepath,
  defaultPreload: 'intent',
  // The query cache decides what is fresh.
  defaultPreloadStaleTime: 0,
  // Data that failed to load is loaded again: a reset alone would show its error again.
  defaultErrorComponent: ({ error, reset }) => (
    <Fault error={error} retry={() => void router.invalidate().finally(reset)} />
  ),
  // Text typed for one resource must not be kept for another.
  defaultRemountDeps: ({ params }) => params,
  defaultPendingComponent: Placeholder,
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const pairs = Object.entries(search).filter(([, value]) => value !== undefined);
    const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]));
    return text.size === 0 ? '' : `?${text.toString()}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
