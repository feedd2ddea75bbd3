{{- $now := Now }}
{{- $before := dict }}
{{- range .status.conditions }}{{ $_ := set $before .type . }}{{ end }}
metadata:
  resourceVersion: {{ .metadata.resourceVersion | Quote }}
status:
  conditions:
  {{- range NodeConditions }}
  {{- $status := .status }}
  {{- $reason := .reason }}
  {{- $message := .message }}
  {{- if and (eq .type "Ready") (not $ready) }}
  {{- $status = "False" }}
  {{- $reason = "KubeletNotReady" }}
  {{- $message = "container runtime is down" }}
  {{- end }}
  {{- $old := default dict (get $before .type) }}
  {{- $since := ternary $old.lastTransitionTime $now (eq (default "" $old.status) $status) }}
  - {{ dict "type" .type "status" $status "reason" $reason "message" $message "lastHeartbeatTime" $now "lastTransitionTime" $since | toJson }}
  {{- end }}
  nodeInfo:
    architecture: amd64
    operatingSystem: linux
    kernelVersion: kwok
    osImage: kwok
    containerRuntimeVersion: containerd://kwok
    kubeletVersion: v1.36.3
    kubeProxyVersion: v1.36.3
    machineID: ''
    systemUUID: ''
    bootID: ''
