{{/* What lib/egress/address-ranges.ts refuses, for a policy that stands when the service errs. */}}
{{- define "herald.refusedIpv4" -}}
- 0.0.0.0/8
- 10.0.0.0/8
- 100.64.0.0/10
- 127.0.0.0/8
- 169.254.0.0/16
- 172.16.0.0/12
- 192.0.0.0/24
- 192.0.2.0/24
- 192.31.196.0/24
- 192.52.193.0/24
- 192.88.99.0/24
- 192.168.0.0/16
- 192.175.48.0/24
- 198.18.0.0/15
- 198.51.100.0/24
- 203.0.113.0/24
- 224.0.0.0/4
- 240.0.0.0/4
- 168.63.129.16/32
{{- end -}}

{{/* Inside 2000::/3, the only addresses that can be public. */}}
{{- define "herald.refusedIpv6" -}}
- 2001::/23
- 2001:db8::/32
- 2002::/16
- 2620:4f:8000::/48
- 3fff::/20
{{- end -}}

{{/* The ranges of a list in HERALD_DENY_CIDRS or HERALD_ALLOW_CIDRS; a single address gets its prefix. */}}
{{- define "herald.cidrs" -}}
{{- range splitList "," (default "" .) }}
{{- $entry := trim . }}
{{- if contains "/" $entry }}
- {{ $entry }}
{{- else if contains ":" $entry }}
- {{ $entry }}/128
{{- else if $entry }}
- {{ $entry }}/32
{{- end }}
{{- end }}
{{- end -}}

{{/* The internet, without what is not public and without the cluster. What is outside a range cannot be its exception. */}}
{{- define "herald.internet" -}}
{{- $further := concat .Values.networkPolicy.clusterCidrs (include "herald.cidrs" .Values.settings.HERALD_DENY_CIDRS | fromYamlArray) -}}
{{- $ipv4 := include "herald.refusedIpv4" . | fromYamlArray -}}
{{- $ipv6 := include "herald.refusedIpv6" . | fromYamlArray -}}
{{- range $further -}}
{{- if regexMatch "^[23][0-9a-fA-F]{3}:" . -}}{{ $ipv6 = append $ipv6 . }}{{- else if not (contains ":" .) -}}{{ $ipv4 = append $ipv4 . }}{{- end -}}
{{- end -}}
- ipBlock:
    cidr: 0.0.0.0/0
    except: {{ $ipv4 | uniq | toJson }}
- ipBlock:
    cidr: 2000::/3
    except: {{ $ipv6 | uniq | toJson }}
{{- end -}}

{{/* Requests to receivers, on the ports that a webhook's URL may name. */}}
{{- define "herald.webhookEgress" -}}
{{- $settings := .Values.settings -}}
{{- $ports := default "443,8443" $settings.HERALD_WEBHOOK_PORTS | toString -}}
- to:
    {{- include "herald.internet" . | nindent 4 }}
    {{- range include "herald.cidrs" $settings.HERALD_ALLOW_CIDRS | fromYamlArray }}
    - ipBlock: {cidr: {{ . | quote }}}
    {{- end }}
  {{- if ne (trim $ports) "any" }}
  ports:
    {{- range splitList "," $ports }}
    - {protocol: TCP, port: {{ trim . | int }}}
    {{- end }}
    {{- if eq (default "false" $settings.HERALD_ALLOW_HTTP_WEBHOOKS | toString) "true" }}
    - {protocol: TCP, port: 80}
    {{- end }}
  {{- end }}
{{- end -}}

{{/* A server of ours: peers, if there are some, and ports. */}}
{{- define "herald.serverEgress" -}}
- ports:
    {{- range $port := .server.ports }}
    {{- range $.protocols }}
    - {protocol: {{ . }}, port: {{ $port }}}
    {{- end }}
    {{- end }}
  {{- with .server.to }}
  to: {{ toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{/* What every process needs. */}}
{{- define "herald.ownEgress" -}}
{{- $policy := .Values.networkPolicy -}}
{{ include "herald.serverEgress" (dict "server" $policy.dns "protocols" (list "UDP" "TCP")) }}
{{ include "herald.serverEgress" (dict "server" $policy.mongodb "protocols" (list "TCP")) }}
{{ include "herald.serverEgress" (dict "server" $policy.temporal "protocols" (list "TCP")) }}
{{- end -}}

{{- define "herald.hasCollector" -}}
{{- range $name, $value := .Values.settings -}}
{{- if and (hasPrefix "OTEL_EXPORTER_OTLP_" $name) (hasSuffix "ENDPOINT" $name) $value -}}true{{- end -}}
{{- end -}}
{{- end -}}
