/**
 * The provider `kubernetes`: reads or writes fields of the object that the arguments name, in the namespace of the HookRun
 * (game-workloads §3.5). Pods, and the kinds that the installation allows. Its verdict is its own, conditions are not asked.
 */
import { FieldPathError, parseFieldPath, parsePatchPath } from '../../../core/hooks/field-path.ts';
import { JsonPathError, readJsonPath } from '../../../core/hooks/json-path.ts';
import { isObjectName } from '../../../core/hooks/object-name.ts';
import type { KubernetesObject } from '../../../crds/kubernetes.ts';
import type { KubernetesProvider } from '../../../crds/provider.ts';
import { isApiError } from '../../../kubernetes/errors.ts';
import { mergePatch } from '../../../kubernetes/patches.ts';
import { pods, type ResourceType } from '../../../kubernetes/resource-types.ts';
import { type MeasureProvider, type ProviderAnswer, type ProviderContext, ProviderProblem } from './types.ts';

const FIELD = 'provider.kubernetes';

/** One read, for `patch` followed by one write. */
export const measureKubernetes: MeasureProvider<KubernetesProvider> = async (kubernetes, context) => {
  const target = targetOf(context);
  const read = () => context.ports.client.get(target.type, target.ref, { signal: context.signal });
  const object = await calling(context, target, read);
  refuseAnother(context, target, object);
  if (kubernetes.function === 'get') return compare(kubernetes, object);
  const patch = patchOf(kubernetes, object);
  await calling(context, target, () =>
    context.ports.client.patch(target.type, target.ref, patch, { signal: context.signal }),
  );
  return { verdict: 'Successful' };
};

interface Target {
  type: ResourceType;
  ref: { namespace: string; name: string };
  /** Such as `Pod default/lobby-0`. */
  title: string;
}

/** By the arguments PodName and PodNamespace, and Group, Version and Kind where it is no pod. */
function targetOf({ args, run, ports }: ProviderContext): Target {
  const type = typeOf(args, ports.kinds);
  const name = args.get('PodName') ?? '';
  const namespace = args.get('PodNamespace') ?? run.namespace;
  if (!isObjectName(name)) {
    const why = name === '' ? 'has no value' : `is ${JSON.stringify(name.slice(0, 60))}, which is no name of an object`;
    throw new ProviderProblem(FIELD, `the argument PodName ${why}`);
  }
  if (namespace !== run.namespace) {
    throw new ProviderProblem(FIELD, `the argument PodNamespace is not ${run.namespace}, the namespace of the HookRun`);
  }
  return { type, ref: { namespace, name }, title: `${type.kind} ${namespace}/${name}` };
}

function typeOf(args: ReadonlyMap<string, string>, kinds: ReadonlyMap<string, ResourceType>): ResourceType {
  const isPod = !['Group', 'Version', 'Kind'].some((name) => args.get(name));
  if (isPod) return pods;
  const asked = [args.get('Group') ?? '', args.get('Version') || 'v1', args.get('Kind') ?? ''].join('/');
  if (asked === '/v1/Pod') return pods;
  const type = kinds.get(asked);
  if (type !== undefined) return type;
  const kind = JSON.stringify(asked.replace(/^\//, '').slice(0, 120));
  throw new ProviderProblem(FIELD, `hooks may not ask for objects of ${kind} in this installation (--hook-kinds)`);
}

/** @throws ProviderProblem in place of an ApiError. */
async function calling<T>({ signal }: ProviderContext, { title }: Target, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    signal.throwIfAborted();
    if (isApiError(error, 'notFound')) throw new ProviderProblem(FIELD, `${title} does not exist`);
    if (isApiError(error, 'forbidden'))
      throw new ProviderProblem(FIELD, `the controller may not do this with ${title}`);
    if (isApiError(error)) throw new ProviderProblem(FIELD, `${title}: ${error.message}`);
    throw error;
  }
}

/** A pod that has the name of the one whose gate this is must not answer for it. */
function refuseAnother({ run }: ProviderContext, { type, title }: Target, { metadata }: KubernetesObject): void {
  if (type !== pods || run.podUid === undefined || metadata.uid === run.podUid) return;
  throw new ProviderProblem(FIELD, `${title} is another pod than the one whose gate this is`);
}

/** Absence is an Error, a value that differs is Failed (game-workloads row 92, §5 item 54). */
function compare({ fields }: KubernetesProvider, object: KubernetesObject): ProviderAnswer {
  const found = fields.map(({ path }, index) => valueAt(object, path, `${FIELD}.fields[${index}].path`));
  const shown = found.join(', ');
  const differing = fields.find(({ value }, index) => found[index] !== value);
  if (differing === undefined) return { verdict: 'Successful', shown };
  return { verdict: 'Failed', message: `${differing.path} has another value than the one asked for`, shown };
}

function valueAt(object: KubernetesObject, path: string, field: string): string {
  try {
    const parsed = parseFieldPath(path);
    if (parsed.type === 'field') return readJsonPath(parsed.jsonPath, object);
    const map = object.metadata[parsed.map] ?? {};
    const value = Object.hasOwn(map, parsed.key) ? map[parsed.key] : undefined;
    if (value === undefined) throw new ProviderProblem(field, `the object has no ${path}`);
    return value;
  } catch (error) {
    if (error instanceof JsonPathError) throw new ProviderProblem(field, `the object has no ${path}`);
    if (error instanceof FieldPathError) throw new ProviderProblem(field, error.message);
    throw error;
  }
}

/** Keys are keys of a JSON object here: nothing in them can be taken for a path. Applied to the object that was read only. */
function patchOf({ fields }: KubernetesProvider, { metadata: { uid } }: KubernetesObject) {
  const maps: { annotations?: Record<string, string>; labels?: Record<string, string> } = {};
  for (const [index, { path, value }] of fields.entries()) {
    try {
      const { map, key } = parsePatchPath(path);
      maps[map] = { ...maps[map], [key]: value };
    } catch (error) {
      if (error instanceof FieldPathError) throw new ProviderProblem(`${FIELD}.fields[${index}].path`, error.message);
      throw error;
    }
  }
  return mergePatch({ uid }, { metadata: maps });
}
