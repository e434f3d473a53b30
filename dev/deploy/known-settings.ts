import { settings } from '../../lib/config/settings.ts';

/** Settings of Node itself. */
export const settingsOfNode = ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS'];

const names = [...Object.keys(settings), ...settingsOfNode];
const known = new RegExp(`^(?:${names.join('|').replaceAll('*', '[A-Z0-9_]+')})$`);

/** Checks whether the service, a library of it, or Node reads a setting. */
export function isKnownSetting(name: string): boolean {
  return known.test(name);
}
