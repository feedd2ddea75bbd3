/**
 * The workflows as one file of JavaScript, made once per version of their sources and kept in the user's cache: bundling
 * costs seconds, reading milliseconds.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type Logger, type WorkflowBundleWithSourceMap } from '@temporalio/worker';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** All that a bundle can hold. */
const SOURCES = ['workflows', 'core', 'crds', 'activities'];
/** What says how it is made: by which version of the SDK, with which options. */
const MAKERS = ['package-lock.json', 'workers/workflow-bundle.ts'];

/** Path of the bundle. @throws Error when the workflows cannot be bundled. */
export async function prepareWorkflowBundle(env: NodeJS.ProcessEnv, logger: Logger): Promise<string> {
  const directory = join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'holdfast', 'workflow-bundles');
  const path = join(directory, `${hashOfSources()}.js`);
  if (existsSync(path)) return path;
  const { code } = await bundleWorkflows(join(ROOT, 'workflows', 'index.ts'), logger);
  mkdirSync(directory, { recursive: true });
  // Whole or not at all: another process may be reading.
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, code);
  renameSync(draft, path);
  return path;
}

/** Its modules are loaded once, not for each run: none of them keeps state (docs/adr/0021). */
export const bundleWorkflows = (workflowsPath: string, logger: Logger): Promise<WorkflowBundleWithSourceMap> =>
  bundleWorkflowCode({ workflowsPath, preloadModules: [workflowsPath], logger });

function hashOfSources(): string {
  const hash = createHash('sha256').update(process.versions.node);
  for (const file of [...MAKERS, ...SOURCES.flatMap(sourceFiles)]) {
    const path = join(ROOT, file);
    if (existsSync(path)) hash.update(file).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex').slice(0, 24);
}

function sourceFiles(folder: string): string[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .sort()
    .map((name) => join(folder, name));
}
