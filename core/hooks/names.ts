/** Names of HookRuns. They only need to be unique and readable; what a run is for stands in its labels. Pure. */

import { shortHash } from '../hash.ts';

/** Object names are DNS subdomains. */
const MAX_NAME_LENGTH = 253;

/** Which gate of a pod a run opens. */
export type GateType = 'predelete' | 'preinplace' | 'postinplace';

export interface CanaryRunName {
  updateRevision: string;
  stepIndex: number;
  templateName: string;
  /** 1 at first, one more with each retry. */
  attempt: number;
}

export interface GateRunName {
  gate: GateType;
  podRevision: string;
  /** Instance id of a GameDeployment's pod, ordinal of a GameStatefulSet's. */
  instanceId: string;
  templateName: string;
  /** As the pod's mark has it (protocol §3). */
  attempt: number | string;
}

/** `canary-<updateRevision>-<index>-<template>`, from the second attempt on with `-<attempt>`. */
export function canaryRunName({ updateRevision, stepIndex, templateName, attempt }: CanaryRunName): string {
  const parts = ['canary', updateRevision, stepIndex, templateName];
  return fitName(attempt > 1 ? [...parts, attempt] : parts);
}

/** `<gate>-<podRevision>-<id>-<template>-<attempt>`. */
export function gateRunName({ gate, podRevision, instanceId, templateName, attempt }: GateRunName): string {
  return fitName([gate, podRevision, instanceId, templateName, attempt]);
}

/** A name that is too long keeps its beginning and ends in a hash of the whole, so that two of them stay two. */
function fitName(parts: readonly (string | number)[]): string {
  const name = parts.join('-').toLowerCase();
  if (name.length <= MAX_NAME_LENGTH) return name;
  const suffix = `-${shortHash(name)}${shortHash(`#${name}`)}`;
  return name.slice(0, MAX_NAME_LENGTH - suffix.length).replace(/[^a-z0-9]+$/, '') + suffix;
}
