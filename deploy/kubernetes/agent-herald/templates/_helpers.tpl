{{- define "herald.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "herald.selectorLabels" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end -}}

{{- define "herald.labels" -}}
{{ include "herald.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "herald.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ default .Chart.AppVersion $image.tag }}
{{- end -}}
{{- end -}}

{{/* The Secret of the api and the worker. */}}
{{- define "herald.secretName" -}}
{{- default (include "herald.fullname" .) .Values.secrets.existingSecret -}}
{{- end -}}

{{/* Helm reads 1000000 as a float and would print 1e+06. */}}
{{- define "herald.text" -}}
{{- if kindIs "float64" . -}}
{{- ternary (int64 . | toString) (toString .) (eq (floor .) .) -}}
{{- else -}}
{{- toString . -}}
{{- end -}}
{{- end -}}

{{/* The hook runs before the release has a Secret. */}}
{{- define "herald.hook" -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-weight: {{ .weight | quote }}
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end -}}

{{/* Twelve seconds more than HERALD_DRAIN_FOR, at least 15. */}}
{{- define "herald.stopSeconds" -}}
{{- $drain := default "3s" .Values.settings.HERALD_DRAIN_FOR | toString -}}
{{- $count := regexFind "^[0-9]+" $drain | int -}}
{{- $unit := regexFind "[a-z]+$" $drain -}}
{{- $seconds := $count -}}
{{- if eq $unit "m" -}}{{- $seconds = mul $count 60 -}}{{- end -}}
{{- if eq $unit "ms" -}}{{- $seconds = div (add $count 999) 1000 -}}{{- end -}}
{{- max 15 (add $seconds 12) -}}
{{- end -}}
