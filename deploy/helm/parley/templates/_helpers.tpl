{{- define "parley.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 53 | trimSuffix "-" -}}
{{- end -}}
{{- end }}

{{- define "parley.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "parley.labels" -}}
{{ include "parley.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "parley.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ $image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end }}

{{/* The host of externalUrl. */}}
{{- define "parley.host" -}}
{{- (urlParse .Values.externalUrl).host | splitList ":" | first -}}
{{- end }}

{{/* Not empty if pods can be replaced one by one, because no pod has data of its own. */}}
{{- define "parley.severalNodes" -}}
{{- $isShared := or .Values.filesUrl (eq .Values.persistence.accessMode "ReadWriteMany") -}}
{{- if and .Values.secrets.DATABASE_URL $isShared }}true{{ end -}}
{{- end }}

{{/* Not empty if the data is on a volume. */}}
{{- define "parley.hasVolume" -}}
{{- if not (and .Values.secrets.DATABASE_URL .Values.filesUrl) }}true{{ end -}}
{{- end }}

{{- define "parley.claim" -}}
{{- .Values.persistence.existingClaim | default (include "parley.name" .) -}}
{{- end }}

{{- define "parley.tlsSecret" -}}
{{- $given := .Values.ingress.tlsSecret -}}
{{- if $given -}}
{{- if ne $given "-" }}{{ $given }}{{ end -}}
{{- else if hasPrefix "https:" .Values.externalUrl -}}
{{- include "parley.name" . }}-tls
{{- end -}}
{{- end }}

{{/* Refuses values that contradict each other, all at once. */}}
{{- define "parley.check" -}}
{{- $wrong := list -}}
{{- $values := .Values -}}
{{- $several := or (gt (int $values.replicaCount) 1) $values.autoscaling.enabled -}}
{{- if not $values.image.repository -}}
{{- $wrong = append $wrong "image.repository is missing. Build the image, push it to your registry, and name it: --set image.repository=registry.example.com/parley" -}}
{{- end -}}
{{- if not $values.externalUrl -}}
{{- $wrong = append $wrong "externalUrl is missing: --set externalUrl=https://chat.example.com" -}}
{{- end -}}
{{- if and $several (not $values.secrets.DATABASE_URL) -}}
{{- $wrong = append $wrong "Several pods cannot share a SQLite database. Put the URL of a PostgreSQL database into a Secret and name it as secrets.DATABASE_URL, or set replicaCount=1 and autoscaling.enabled=false" -}}
{{- end -}}
{{- if and $several (not $values.filesUrl) (ne $values.persistence.accessMode "ReadWriteMany") -}}
{{- $wrong = append $wrong "Several pods need a place for files that all of them reach. Set filesUrl=s3://…, or persistence.accessMode=ReadWriteMany with a storage class that offers it" -}}
{{- end -}}
{{- if and (or $several (include "parley.severalNodes" .)) (not $values.secrets.SECRET_KEY) -}}
{{- $wrong = append $wrong "Pods that share a database need the same secret. Put the output of `openssl rand -hex 32`, or hex: and the content of /data/secret of the pod that you had, into a Secret and name it as secrets.SECRET_KEY" -}}
{{- end -}}
{{- if regexMatch "^s3://[^/?]*@" $values.filesUrl -}}
{{- $wrong = append $wrong "filesUrl contains keys, which everyone who reads the pod would see. Put them into a Secret and name it as secrets.AWS_ACCESS_KEY_ID and secrets.AWS_SECRET_ACCESS_KEY" -}}
{{- end -}}
{{- if ne (empty $values.secrets.AWS_ACCESS_KEY_ID) (empty $values.secrets.AWS_SECRET_ACCESS_KEY) -}}
{{- $wrong = append $wrong "secrets.AWS_ACCESS_KEY_ID and secrets.AWS_SECRET_ACCESS_KEY need each other" -}}
{{- end -}}
{{- if and $values.secrets.NATS_URL (not (include "parley.severalNodes" .)) -}}
{{- $wrong = append $wrong "secrets.NATS_URL connects several pods: it needs secrets.DATABASE_URL, and filesUrl or persistence.accessMode=ReadWriteMany" -}}
{{- end -}}
{{- if and $values.secrets.DATABASE_READ_URLS (not $values.secrets.DATABASE_URL) -}}
{{- $wrong = append $wrong "secrets.DATABASE_READ_URLS names replicas of a PostgreSQL database: it needs secrets.DATABASE_URL" -}}
{{- end -}}
{{- if and $values.secrets.DATABASE_URLS (or (not $values.secrets.DATABASE_URL) $values.databaseParameters) -}}
{{- $wrong = append $wrong "secrets.DATABASE_URLS begins with the URL that secrets.DATABASE_URL has as well: it needs that, and no databaseParameters" -}}
{{- end -}}
{{- if and $values.databaseParameters (not $values.secrets.DATABASE_URL) -}}
{{- $wrong = append $wrong "databaseParameters needs secrets.DATABASE_URL" -}}
{{- end -}}
{{- range $name := list "PORT" "LISTEN_HOST" "DATA_DIR" "SEVERAL_NODES" "HTTPS" "HTTPS_CERT" "HTTPS_KEY" "HTTP_PORT" "METRICS_PORT" "METRICS_LISTEN_HOST" -}}
{{- if hasKey $values.settings $name -}}
{{- $wrong = append $wrong (printf "settings.%s cannot be set: the chart sets it, or does what it is for" $name) -}}
{{- end -}}
{{- end -}}
{{- range $name, $value := dict "EXTERNAL_URL" "externalUrl" "FILES_URL" "filesUrl" "TRUSTED_PROXIES" "trustedProxies" -}}
{{- if hasKey $values.settings $name -}}
{{- $wrong = append $wrong (printf "settings.%s: set %s instead" $name $value) -}}
{{- end -}}
{{- end -}}
{{- range $name := list "DATABASE_URL" "DATABASE_URLS" "DATABASE_READ_URLS" "NATS_URL" "SECRET_KEY" "SMTP_URL" "AWS_ACCESS_KEY_ID" "AWS_SECRET_ACCESS_KEY" "AWS_SESSION_TOKEN" -}}
{{- if hasKey $values.settings $name -}}
{{- $wrong = append $wrong (printf "settings.%s is a secret: put it into a Secret and name that as secrets.%s" $name $name) -}}
{{- end -}}
{{- end -}}
{{- if $values.autoscaling.enabled -}}
{{- if gt (int $values.autoscaling.minReplicas) (int $values.autoscaling.maxReplicas) -}}
{{- $wrong = append $wrong "autoscaling.minReplicas is above maxReplicas" -}}
{{- end -}}
{{- if not (dig "requests" "cpu" "" $values.resources) -}}
{{- $wrong = append $wrong "autoscaling needs resources.requests.cpu, of which it measures the use" -}}
{{- end -}}
{{- end -}}
{{- if and $values.metrics.podMonitor.enabled (not $values.metrics.enabled) -}}
{{- $wrong = append $wrong "metrics.podMonitor.enabled needs metrics.enabled=true" -}}
{{- end -}}
{{- if and $values.gateway.enabled (not $values.gateway.parentRefs) -}}
{{- $wrong = append $wrong "gateway.parentRefs is missing: the Gateway that leads to this server, such as {name: public, namespace: gateways}" -}}
{{- end -}}
{{- if and $values.networkPolicy.enabled (not $values.networkPolicy.from) -}}
{{- $wrong = append $wrong "networkPolicy.from is missing: without peers, Kubernetes would let all pods in" -}}
{{- end -}}
{{- if $wrong -}}
{{- fail (printf "\n\nThe values do not fit together:\n- %s\n" (join "\n- " $wrong)) -}}
{{- end -}}
{{- end }}

{{- define "parley.pod" -}}
metadata:
  labels:
    {{- include "parley.selector" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  automountServiceAccountToken: {{ ne .Values.serviceAccountName "" }}
  {{- with .Values.serviceAccountName }}
  serviceAccountName: {{ . }}
  {{- end }}
  # Otherwise, a Service named "parley" would set variables such as PARLEY_PORT.
  enableServiceLinks: false
  # The pause before SIGTERM, and the 10 seconds in which the server then answers all requests in progress.
  terminationGracePeriodSeconds: 30
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: parley
      image: {{ include "parley.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      ports:
        - name: http
          containerPort: 9991
        {{- if .Values.metrics.enabled }}
        - name: metrics
          containerPort: 9992
        {{- end }}
      env:
        - name: EXTERNAL_URL
          value: {{ .Values.externalUrl | quote }}
        {{- if include "parley.severalNodes" . }}
        - name: SEVERAL_NODES
          value: "true"
        {{- end }}
        {{- with .Values.filesUrl }}
        - name: FILES_URL
          value: {{ . | quote }}
        {{- end }}
        {{- if .Values.metrics.enabled }}
        - name: METRICS_PORT
          value: "9992"
        - name: METRICS_LISTEN_HOST
          value: "0.0.0.0"
        {{- end }}
        {{- with .Values.trustedProxies }}
        - name: TRUSTED_PROXIES
          value: {{ join "," . | quote }}
        {{- end }}
        {{- range $name, $secret := .Values.secrets }}
        {{- $isExtended := and (eq $name "DATABASE_URL") $.Values.databaseParameters }}
        - name: {{ ternary "DATABASE_ADDRESS" $name (not (empty $isExtended)) }}
          valueFrom:
            secretKeyRef:
              name: {{ $secret.name }}
              key: {{ $secret.key | default $name }}
        {{- if $isExtended }}
        - name: DATABASE_URL
          value: {{ printf "$(DATABASE_ADDRESS)?%s" $.Values.databaseParameters | quote }}
        {{- end }}
        {{- end }}
        {{- range $name, $value := .Values.settings }}
        - name: {{ $name }}
          value: {{ ternary (int64 $value) $value (kindIs "float64" $value) | quote }}
        {{- end }}
      volumeMounts:
        - name: data
          mountPath: /data
        - name: tmp
          mountPath: /tmp
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      # Migrations are part of the start, and may take minutes.
      startupProbe:
        httpGet: { path: /health, port: http }
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: {{ div (add (int .Values.startTimeLimit) 4) 5 }}
      # Fails only if the process no longer responds. While the database is away, restarts would not help.
      livenessProbe:
        httpGet: { path: /health/live, port: http }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      readinessProbe:
        httpGet: { path: /health, port: http }
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 2
      lifecycle:
        preStop:
          # Proxies learn in the meantime that the pod is going away.
          exec: { command: [sleep, "5"] }
      {{- with .Values.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
  volumes:
    - name: data
      {{- if include "parley.hasVolume" . }}
      persistentVolumeClaim:
        claimName: {{ include "parley.claim" . }}
      {{- else }}
      emptyDir: {}
      {{- end }}
    - name: tmp
      emptyDir: {}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- toYaml . | nindent 4 }}
  {{- else }}
  {{- if include "parley.severalNodes" . }}
  topologySpreadConstraints:
    - topologyKey: kubernetes.io/hostname
      maxSkew: 1
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "parley.selector" . | nindent 10 }}
  {{- end }}
  {{- end }}
  {{- range $name := list "nodeSelector" "affinity" "tolerations" }}
  {{- with index $.Values $name }}
  {{ $name }}:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
{{- end }}
