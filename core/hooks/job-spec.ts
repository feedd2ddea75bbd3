/**
 * The spec of a hook's Job with its arguments filled in. They stand in `command`, `args` and the values of `env` only: a value
 * cannot change what else the Job is. Pure.
 */
import type { JobProvider } from '../../crds/provider.ts';
import { templateRenderer } from './template.ts';

type JobSpec = JobProvider['spec'];
type Container = JobSpec['template']['spec']['containers'][number];

/** @throws TemplateError */
export function renderJobSpec(spec: JobSpec, args: ReadonlyMap<string, string>): JobSpec {
  const render = templateRenderer(args);
  return mapJobTexts(spec, (_path, text) => render(text));
}

/** Every text of the spec that may hold arguments, with its path below `spec`, through `change`. */
export function mapJobTexts(spec: JobSpec, change: (path: string, text: string) => string): JobSpec {
  const pod = spec.template.spec;
  const { containers, initContainers } = pod;
  return {
    ...spec,
    template: {
      ...spec.template,
      spec: {
        restartPolicy: 'Never',
        ...pod,
        containers: mapContainers(containers, 'containers', change),
        ...(initContainers !== undefined && {
          initContainers: mapContainers(initContainers, 'initContainers', change),
        }),
      },
    },
  };
}

type Change = (path: string, text: string) => string;

function mapContainers(containers: Container[], field: string, change: Change): Container[] {
  return containers.map((container, index) => mapContainer(container, `template.spec.${field}[${index}]`, change));
}

function mapContainer(container: Container, path: string, change: Change): Container {
  const { command, args, env } = container;
  const mapped = { ...container };
  if (Array.isArray(command)) mapped.command = mapTexts(command, `${path}.command`, change);
  if (Array.isArray(args)) mapped.args = mapTexts(args, `${path}.args`, change);
  if (Array.isArray(env))
    mapped.env = env.map((entry, index) => mapVariable(entry, `${path}.env[${index}].value`, change));
  return mapped;
}

function mapTexts(texts: unknown[], path: string, change: Change): unknown[] {
  return texts.map((text, index) => (typeof text === 'string' ? change(`${path}[${index}]`, text) : text));
}

function mapVariable(entry: unknown, path: string, change: Change): unknown {
  if (typeof entry !== 'object' || entry === null || !('value' in entry)) return entry;
  return typeof entry.value === 'string' ? { ...entry, value: change(path, entry.value) } : entry;
}
