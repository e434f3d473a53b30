import { relative, sep } from 'node:path';
import { API } from 'typescript/unstable/sync';
import { type CodeFile, describeFile } from './code-file.ts';

/** Reads the files that `tsconfig.json` at the root names, in the order of their paths. */
export function readTree(root: string): CodeFile[] {
  const api = new API({ cwd: root });
  try {
    using snapshot = api.updateSnapshot({ openProjects: [`${root}/tsconfig.json`] });
    const [project] = snapshot.getProjects();
    if (project === undefined) throw new Error(`there is no tsconfig.json at ${root}`);
    return project.rootFiles.toSorted().flatMap((name) => {
      const source = project.program.getSourceFile(name);
      const path = relative(root, name).replaceAll(sep, '/');
      return source === undefined ? [] : [describeFile(path, source)];
    });
  } finally {
    api.close();
  }
}
