{{/* What the pods of all roles share. */}}
{{- define "herald.podSpec" -}}
{{- $values := .root.Values -}}
automountServiceAccountToken: false
enableServiceLinks: false
# Else node is process 1 of its container, and ignores SIGTERM until it is up.
shareProcessNamespace: true
{{- with $values.dnsPolicy }}
dnsPolicy: {{ . }}
{{- end }}
{{- with $values.dnsConfig }}
dnsConfig: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with $values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with $values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  # `node` of the image.
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: {type: RuntimeDefault}
{{- with $values.files }}
volumes:
  {{- range . }}
  - name: {{ .name }}
    {{- if .secret }}
    secret: {secretName: {{ .secret }}, defaultMode: 0440}
    {{- else }}
    configMap: {name: {{ required "files: each entry names a secret or a configMap" .configMap }}}
    {{- end }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* What their containers share. */}}
{{- define "herald.container" -}}
{{- $values := .root.Values -}}
name: {{ .role }}
image: {{ include "herald.image" .root }}
imagePullPolicy: {{ $values.image.pullPolicy }}
command: [node, --enable-source-maps, {{ .main }}]
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
env:
  {{- range $name, $value := .env }}
  - {name: {{ $name }}, value: {{ include "herald.text" $value | quote }}}
  {{- end }}
  {{- range $name, $value := $values.settings }}
  - {name: {{ $name }}, value: {{ include "herald.text" $value | quote }}}
  {{- end }}
envFrom:
  - secretRef: {name: {{ .secretName }}}
{{- with $values.files }}
volumeMounts:
  {{- range . }}
  - {name: {{ .name }}, mountPath: {{ .mountPath }}, readOnly: true}
  {{- end }}
{{- end }}
{{- end -}}

{{/* The metadata of the pods that a Deployment makes; a Secret of the chart's own rolls them when it changes. */}}
{{- define "herald.podMetadata" -}}
{{- $values := .root.Values -}}
labels:
  {{- include "herald.labels" . | nindent 2 }}
  {{- with $values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- if or $values.podAnnotations (not $values.secrets.existingSecret) }}
annotations:
  {{- if not $values.secrets.existingSecret }}
  checksum/secrets: {{ toJson $values.secrets.values | sha256sum }}
  {{- end }}
  {{- with $values.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "herald.spread" -}}
topologySpreadConstraints:
  {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{ include "herald.selectorLabels" $ | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end -}}

{{- define "herald.rollingUpdate" -}}
revisionHistoryLimit: 5
strategy:
  type: RollingUpdate
  rollingUpdate: {maxUnavailable: 0, maxSurge: 1}
{{- end -}}

{{/* The environment that the image and the chart decide. */}}
{{- define "herald.metricsPort" -}}
{{- if .Values.metrics.enabled }}
- {name: metrics, containerPort: {{ .Values.metrics.port }}}
{{- end }}
{{- end -}}
