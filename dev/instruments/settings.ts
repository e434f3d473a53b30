// What is generated from lib/config/settings.ts: tables of the documentation, lists of the deployment.
import { format, resolveConfig } from 'prettier';
import type { Setting } from '../../lib/config/setting.ts';
import { settingGroups } from '../../lib/config/settings.ts';
import { settingsOfNode } from '../deploy/known-settings.ts';
import { withGenerated } from './with-generated.ts';

type Row = Pick<Setting<unknown>, 'text' | 'byDefault' | 'isRequired' | 'isSecret'>;

const groups: Readonly<Record<string, Readonly<Record<string, Row>>>> = settingGroups;
const rows = Object.values(groups).flatMap((group) => Object.entries(group));

/** Each file by its path, with a function that updates it. */
export const settingFiles: Readonly<Record<string, (file: string) => string | Promise<string>>> = {
  'docs/configuration.md': (file) => withGenerated(file, Object.values(groups).map(tableOf)),
  'docker-compose.yml': withPassedSettings,
  'deploy/kubernetes/agent-herald/values.schema.json': withNames,
};

function tableOf(group: Readonly<Record<string, Row>>): string {
  const lines = Object.entries(group).map(([name, { text, byDefault, ...row }]) => {
    const words = [...(row.isRequired ? ['required'] : []), ...(row.isSecret ? ['secret'] : [])];
    const prefix = words.length === 0 ? '' : `**${words.join(', ')}**: `;
    return `| \`${name}\` | ${prefix}${text} | ${byDefault} |\n`;
  });
  return `| name | meaning | default |\n| --- | --- | --- |\n${lines.join('')}`;
}

/** Settings that the image or the file settles, or that are different in each process. */
const settled =
  /^(?:PORT|HERALD_(?:HOST|DATABASE|METRICS_HOST|WORKFLOW_BUNDLE)|OTEL_(?:SERVICE_NAME|.*PROTOCOL)|TEMPORAL_.*|.*\*)$/;
const inCompose = { begin: '  # begin: npm run generate\n', end: '  # end\n' };

/** Passes on the other settings, except where the file sets one itself. */
function withPassedSettings(file: string): string {
  const [before = ''] = file.split(inCompose.begin);
  const lines = rows
    .map(([name]) => name)
    .filter((name) => !settled.test(name) && !before.includes(`\n  ${name}: `))
    .map((name) => `  ${name}: \${${name}:-}\n`);
  return withGenerated(file, [lines.join('')], inCompose);
}

interface Names {
  propertyNames: { anyOf: [{ enum: string[] }] };
}

/** Other values of the chart set the ports. */
async function withNames(file: string): Promise<string> {
  const schema = JSON.parse(file) as {
    properties: { settings: Names; secrets: { properties: { values: Names } } };
  };
  const namesOf = (isSecret: boolean): string[] =>
    rows
      .filter(([name, row]) => row.isSecret === isSecret && !/^PORT$|METRICS_PORT$|\*$/.test(name))
      .map(([name]) => name);
  const { settings, secrets } = schema.properties;
  settings.propertyNames.anyOf[0].enum = [...namesOf(false), ...settingsOfNode];
  secrets.properties.values.propertyNames.anyOf[0].enum = namesOf(true);
  const options = await resolveConfig('package.json');
  return format(JSON.stringify(schema, null, 2), { ...options, parser: 'json' });
}
