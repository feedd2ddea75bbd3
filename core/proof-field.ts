/** Where a field of a pod that is posted comes from, as the user finds it in the workload (core/new-pod.ts makes such pods). Pure. */
import type { GameStatefulSet } from '../crds/game-stateful-set.ts';
import type { GameWorkload } from '../crds/game-workload.ts';
import { isGameStatefulSet } from './kinds.ts';

const VOLUME = /^spec\.volumes\[(\d+)\](.*)$/;

/** `field` is a path in the pod; empty where the API names none. */
export function sourceOf(workload: GameWorkload, field: string): string {
  // A pod's name begins with the name of its workload.
  if (field === 'metadata.name') return field;
  const own = isGameStatefulSet(workload) ? sourceInSet(workload, field) : undefined;
  return own ?? (field === '' ? 'spec.template' : `spec.template.${field}`);
}

/** undefined where the field comes from the template as it is. */
function sourceInSet(set: GameStatefulSet, field: string): string | undefined {
  if (field === 'spec.hostname') return 'metadata.name';
  if (field === 'spec.subdomain' && set.spec.serviceName !== '') return 'spec.serviceName';
  const [, index, rest = ''] = VOLUME.exec(field) ?? [];
  return index === undefined ? undefined : sourceOfVolume(set, Number(index), rest);
}

/** Claims come first, and the volumes of the template that have their names are left out. */
function sourceOfVolume({ spec }: GameStatefulSet, index: number, rest: string): string {
  const claims = spec.volumeClaimTemplates ?? [];
  if (index < claims.length) return `spec.volumeClaimTemplates[${index}].metadata.name`;
  const names = new Set(claims.map(({ metadata }) => metadata.name));
  const { volumes } = spec.template.spec;
  const written = Array.isArray(volumes) ? (volumes as { name: string }[]) : [];
  const kept = written.flatMap(({ name }, at) => (names.has(name) ? [] : [at]));
  return `spec.template.spec.volumes[${kept[index - claims.length] ?? index}]${rest}`;
}
