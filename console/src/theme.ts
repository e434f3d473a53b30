import { Alert, createTheme, type CSSVariablesResolver, DEFAULT_THEME, Modal } from '@mantine/core';

// Buttons in Mantine's own red have a contrast below 4.5 in the light theme (WCAG 2.2, 1.4.3).
const [r0, r1, r2, r3, r4, r5, r6, , r8, r9] = DEFAULT_THEME.colors.red;

export const theme = createTheme({
  colors: { red: [r0, r1, r2, r3, r4, r5, r6, '#c92a2a', r8, r9] },
  primaryColor: 'indigo',
  primaryShade: { light: 7, dark: 8 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  fontFamily:
    'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  components: {
    // A yellow title on yellow would be unreadable.
    Alert: Alert.extend({ styles: { label: { color: 'var(--mantine-color-text)' } } }),
    Modal: Modal.extend({ styles: { title: { fontWeight: 600 } } }),
  },
});

// Mantine's own dimmed texts and errors have less than the contrast of 4.5 that WCAG 2.2 requires (1.4.3).
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': 'var(--mantine-color-gray-7)',
    '--mantine-color-placeholder': 'var(--mantine-color-gray-7)',
    '--mantine-color-error': 'var(--mantine-color-red-9)',
  },
  dark: {
    '--mantine-color-dimmed': 'var(--mantine-color-dark-1)',
    '--mantine-color-placeholder': 'var(--mantine-color-dark-1)',
    '--mantine-color-error': 'var(--mantine-color-red-4)',
    // Mantine's own is brown.
    '--mantine-color-yellow-light':
      'color-mix(in srgb, var(--mantine-color-yellow-5) 14%, var(--mantine-color-dark-7))',
  },
});
