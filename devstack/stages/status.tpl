{{- /* The status a kubelet would report after $step. Every write carries the version it was derived from: a late one is refused. */}}
{{- $pod := . }}
{{- $now := Now }}
{{- $generation := int (toString (default 0 .metadata.generation)) }}
{{- $annotations := default dict .metadata.annotations }}
{{- $readyDelay := default "" (get $annotations "holdfast.dev/kwok-ready-delay") }}
{{- $readyAtOnce := regexMatch "^(0|0m?s)?$" $readyDelay }}
{{- $ends := or (eq $step "terminate") (eq $step "fail") }}
{{- $starts := or (eq $step "start") (eq $step "restart") }}

{{- $known := dict }}
{{- range .status.containerStatuses }}{{ $_ := set $known .name . }}{{ end }}

{{- /* Containers. */}}
{{- $statuses := list }}
{{- $unready := list }}
{{- $neverRan := false }}
{{- range $container := .spec.containers }}
  {{- $status := deepCopy (default dict (get $known $container.name)) }}
  {{- $state := default dict $status.state }}
  {{- $runs := hasKey $state "running" }}
  {{- $reason := default "" (default dict $state.waiting).reason }}
  {{- $unpullable := regexMatch ":(404|nonexistent)$" $container.image }}
  {{- $isOther := ne (default "" $status.image) $container.image }}

  {{- if eq $step "admit" }}
    {{- $status = dict "name" $container.name "image" $container.image "imageID" "" "restartCount" 0 "ready" false "started" false }}
    {{- $_ := set $status "state" (dict "waiting" (dict "reason" "ContainerCreating")) }}

  {{- else if and $runs (or $ends (and (eq $step "stop") (or $unpullable $isOther))) }}
    {{- $exit := dict "exitCode" (ternary 137 0 (eq $step "fail")) "reason" (ternary "Error" "Completed" (eq $step "fail")) }}
    {{- $_ := set $exit "startedAt" $state.running.startedAt }}
    {{- $_ := set $exit "finishedAt" $now }}
    {{- $_ := set $exit "containerID" $status.containerID }}
    {{- $_ := set $status "state" (dict "terminated" $exit) }}
    {{- $_ := set $status "ready" false }}
    {{- $_ := set $status "started" false }}

  {{- else if and $starts (not $runs) $unpullable }}
    {{- if not $reason | or (eq $reason "ContainerCreating") }}
      {{- if $state.terminated }}{{ $_ := set $status "lastState" (dict "terminated" $state.terminated) }}{{ end }}
      {{- $message := printf "failed to pull and unpack image %q: not found" $container.image }}
      {{- $_ := set $status "state" (dict "waiting" (dict "reason" "ErrImagePull" "message" $message)) }}
    {{- end }}

  {{- else if and $starts (not $runs) }}
    {{- if $state.terminated }}{{ $_ := set $status "lastState" (dict "terminated" $state.terminated) }}{{ end }}
    {{- $count := int (toString $status.restartCount) }}
    {{- if $status.containerID }}{{ $count = add1 $count }}{{ end }}
    {{- $repository := regexReplaceAll "(:[^/:]*|@.*)$" $container.image "" }}
    {{- $_ := set $status "image" $container.image }}
    {{- $_ := set $status "imageID" (printf "%s@sha256:%s" $repository (sha256sum $container.image)) }}
    {{- $_ := set $status "containerID" (printf "containerd://%s" (sha256sum (printf "%s/%s/%d/%s" $pod.metadata.uid $container.name $count $now))) }}
    {{- $_ := set $status "restartCount" $count }}
    {{- $_ := set $status "state" (dict "running" (dict "startedAt" $now)) }}
    {{- $_ := set $status "started" true }}
    {{- $_ := set $status "ready" $readyAtOnce }}

  {{- else if and (eq $step "ready") $runs }}
    {{- $_ := set $status "ready" true }}

  {{- else if and (eq $step "back-off") $unpullable (eq $reason "ErrImagePull") }}
    {{- $message := printf "Back-off pulling image %q" $container.image }}
    {{- $_ := set $status "state" (dict "waiting" (dict "reason" "ImagePullBackOff" "message" $message)) }}
  {{- end }}

  {{- if not $status.ready }}{{ $unready = append $unready $container.name }}{{ end }}
  {{- if not $status.containerID }}{{ $neverRan = true }}{{ end }}
  {{- $statuses = append $statuses $status }}
{{- end }}

{{- /* Conditions; the gates themselves belong to whoever defined them. */}}
{{- $conditions := dict }}
{{- range .status.conditions }}{{ $_ := set $conditions .type . }}{{ end }}
{{- $unmet := list }}
{{- range .spec.readinessGates }}
  {{- $gate := get $conditions .conditionType }}
  {{- if not $gate }}
    {{- $unmet = append $unmet (printf "corresponding condition of pod readiness gate %q does not exist." .conditionType) }}
  {{- else if ne $gate.status "True" }}
    {{- $unmet = append $unmet (printf "the status of pod readiness gate %q is not \"True\", but %s" .conditionType $gate.status) }}
  {{- end }}
{{- end }}
{{- $yes := dict "status" "True" "reason" "" "message" "" }}
{{- $containersReady := $yes }}
{{- if $ends }}
  {{- $containersReady = dict "status" "False" "reason" (ternary "PodFailed" "PodCompleted" (eq $step "fail")) "message" "" }}
{{- else if $unready }}
  {{- $containersReady = dict "status" "False" "reason" "ContainersNotReady" "message" (printf "containers with unready status: %v" $unready) }}
{{- end }}
{{- $ready := $containersReady }}
{{- if and (eq $ready.status "True") $unmet }}
  {{- $ready = dict "status" "False" "reason" "ReadinessGatesNotReady" "message" (join ", " $unmet) }}
{{- end }}
{{- $wanted := dict "PodScheduled" $yes "Initialized" $yes "ContainersReady" $containersReady "Ready" $ready }}
{{- $_ := set $wanted "PodReadyToStartContainers" (ternary (dict "status" "False" "reason" "" "message" "") $yes (or $ends (eq $step "admit"))) }}
{{- if eq $step "fail" }}
  {{- $_ := set $wanted "DisruptionTarget" (dict "status" "True" "reason" "TerminationByKubelet" "message" "The pod was evicted by its node.") }}
{{- end }}
metadata:
  resourceVersion: {{ .metadata.resourceVersion | Quote }}
status:
  observedGeneration: {{ $generation }}
  {{- if eq $step "fail" }}
  phase: Failed
  reason: Evicted
  message: The pod was evicted by its node.
  {{- else if eq $step "terminate" }}
  phase: Succeeded
  {{- else }}
  phase: {{ ternary "Pending" "Running" $neverRan }}
  {{- end }}
  {{- if eq $step "admit" }}
  {{- $hostIP := NodeIPWith .spec.nodeName }}
  startTime: {{ $now | Quote }}
  hostIP: {{ $hostIP | Quote }}
  hostIPs: [{ ip: {{ $hostIP | Quote }} }]
  {{- end }}
  {{- if and $starts (not .status.podIP) }}
  {{- $podIP := PodIPWith .spec.nodeName (default false .spec.hostNetwork) .metadata.uid .metadata.name .metadata.namespace }}
  podIP: {{ $podIP | Quote }}
  podIPs: [{ ip: {{ $podIP | Quote }} }]
  {{- end }}
  {{- if and $starts .spec.initContainers (not .status.initContainerStatuses) }}
  initContainerStatuses:
  {{- range .spec.initContainers }}
  {{- $id := printf "containerd://%s" (sha256sum (printf "%s/init/%s" $pod.metadata.uid .name)) }}
  {{- $exit := dict "exitCode" 0 "reason" "Completed" "startedAt" $now "finishedAt" $now "containerID" $id }}
  {{- $isSidecar := eq (default "" .restartPolicy) "Always" }}
  {{- $state := ternary (dict "running" (dict "startedAt" $now)) (dict "terminated" $exit) $isSidecar }}
  - {{ dict "name" .name "image" .image "imageID" (printf "sha256:%s" (sha256sum .image)) "containerID" $id "restartCount" 0 "ready" true "started" $isSidecar "state" $state | toJson }}
  {{- end }}
  {{- end }}
  containerStatuses:
  {{- range $statuses }}
  - {{ toJson . }}
  {{- end }}
  conditions:
  {{- range $type, $condition := $wanted }}
  {{- $before := default dict (get $conditions $type) }}
  {{- $since := ternary $before.lastTransitionTime $now (eq (default "" $before.status) $condition.status) }}
  {{- $report := dict "type" $type "status" $condition.status "reason" $condition.reason "message" $condition.message }}
  - {{ merge $report (dict "lastTransitionTime" $since "observedGeneration" $generation) | toJson }}
  {{- end }}
