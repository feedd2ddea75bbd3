/** The labels, annotations, gates and condition names that pods, revisions and HookRuns carry (game-workloads §1.5, decision 46). */

/** Readiness gate on every pod of a game workload; set by Holdfast only. */
export const READINESS_GATE = 'InPlaceUpdateReady';
/** Reason of a gate that an in-place update closed; its message is the target revision. */
export const GATE_CLOSED_REASON = 'StartInPlaceUpdate';

export const REVISION_LABEL = 'controller-revision-hash';
export const INSTANCE_ID_LABEL = 'tkex.bkbcs.tencent.com/gamedeployment-instance-id';
/** Identity of a GameStatefulSet's pod. */
export const POD_NAME_LABEL = 'gamestatefulset.kubernetes.io/pod-name';
export const POD_ORDINAL_LABEL = 'gamestatefulset.kubernetes.io/pod-ordinal';
/** `"true"` on a GameDeployment: its pods get unique indexes, of the range that is JSON in the second annotation. */
export const INDEX_ON_ANNOTATION = 'tkex.bkbcs.tencent.com/gamedeployment-index-on';
export const INDEX_RANGE_ANNOTATION = 'tkex.bkbcs.tencent.com/gamedeployment-index-range';
/** On a pod: its index. */
export const INDEX_ID_ANNOTATION = 'tkex.bkbcs.tencent.com/gamedeployment-index-id';
/** `"true"` on a pod that got no index, since an update made it beyond the range: one with an index takes its place. */
export const UNNUMBERED_ANNOTATION = 'holdfast.dev/without-index';
export const REVISION_HASH_LABEL = 'controller.kubernetes.io/hash';

export const IN_PLACE_STATE_ANNOTATION = 'inplace-update-state';
export const IN_PLACE_GRACE_ANNOTATION = 'inplace-update-grace';
export const HOT_PATCH_STATE_ANNOTATION = 'hotpatch-update-state';
/** `"true"` tells a kubelet that can do it to exchange images without a restart. */
export const HOT_PATCH_ANNOTATION = 'io.kubernetes.hotpatch.container';
export const POD_DELETING_ANNOTATION = 'io.tencent.bcs.dev/game-pod-deleting';
export const POD_DELETION_COST_ANNOTATION = 'controller.kubernetes.io/pod-deletion-cost';
export const NODE_DELETION_COST_ANNOTATION = 'io.tencent.bcs.dev/node-deletion-cost';
/** `"true"` on a pod: where its node is lost, it may be deleted without the kubelet's word. */
export const NODE_LOST_ANNOTATION = 'pod.gamestatefulset.bkbcs.tencent.com/node-lost-force-delete';
export const COST_SORT_METHOD_ANNOTATION = 'io.tencent.bcs.dev/pod-deletion-cost-sort-method';

/** What a pod was chosen for: `Mark` as JSON (protocol §3). */
export const MOVE_ANNOTATION = 'holdfast.dev/move';
/** On a pod that was given new images in place and owes its postInplace hook: `Mark` as JSON (docs/adr/0016). */
export const UPDATED_ANNOTATION = 'holdfast.dev/updated';
/** Written to raise a pod's resourceVersion so that a late duplicate of an older write cannot land (protocol §2, rule 4). */
export const FENCE_ANNOTATION = 'holdfast.dev/fence';
/** `<updateRevision>/<step>`: ends one untimed pause (decision 7). */
export const RESUME_ANNOTATION = 'holdfast.dev/resume';
/** `"true"` freezes every move, healing too (decision 8). */
export const SUSPEND_ANNOTATION = 'holdfast.dev/suspend';
/** `"true"`: the engine sets `spec.updateStrategy.paused` when a pause of a rollout begins (decision 9). */
export const WRITE_PAUSED_ANNOTATION = 'holdfast.dev/write-paused';
/** Written together with that `true`: the pause that it stands for, as `<updateRevision>/<step>/<epoch ms of its begin>`. */
export const PAUSED_AT_ANNOTATION = 'holdfast.dev/paused-at';
/** How a closed rollout went; on the ControllerRevision (decision 18). */
export const ROLLOUT_SUMMARY_ANNOTATION = 'holdfast.dev/rollout';
/** Kind of the workload that a ControllerRevision was made for: one left behind goes to no namesake of the other kind. */
export const REVISION_KIND_ANNOTATION = 'holdfast.dev/kind';

export const HOOK_RUN_TYPE_LABEL = 'hookrun-type';
export const WORKLOAD_REVISION_LABEL = 'workload-revision';
export const INSTANCE_LABEL = 'instance-id';
export const CANARY_STEP_LABEL = 'canary-step-index';
export const POD_UID_LABEL = 'holdfast.dev/pod-uid';
export const ATTEMPT_LABEL = 'holdfast.dev/attempt';
