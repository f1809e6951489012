//go:build !race && !small

package main

import "fmt"

const deployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web%[1]d
spec:
  selector:
    matchLabels: {app: web%[1]d}
  template:
    metadata:
      labels: {app: web%[1]d}
    spec:
      containers:
        - {name: web, image: ghcr.io/acme/web%[1]d}
`

// kustomization is an overlay over a base of ten deployments.
func kustomization() map[string]string {
	files := map[string]string{}
	resources := ""
	for i := range 10 {
		files[fmt.Sprintf("base/web%d.yaml", i)] = fmt.Sprintf(deployment, i)
		resources += fmt.Sprintf("- web%d.yaml\n", i)
	}
	files["base/kustomization.yaml"] = "resources:\n" + resources
	files["prod/kustomization.yaml"] = "resources: [../base]\nnamespace: prod\nnamePrefix: prod-\nimages:\n- {name: ghcr.io/acme/web1, newTag: 1.2.3}\n"
	return files
}

const chartTemplate = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "web.name" . }}-%[1]d
  labels:
    {{- include "web.labels" . | nindent 4 }}
spec:
  replicas: {{ .Values.replicas | default 1 }}
  template:
    metadata:
      {{- with .Values.annotations }}
      annotations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
    spec:
      containers:
        - name: web
          image: {{ printf "%%s:%%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
          env:
            {{- range $name, $value := .Values.env }}
            - {name: {{ $name }}, value: {{ $value | quote }}}
            {{- end }}
          {{- with .Values.resources }}
          resources:
            {{- toYaml . | nindent 12 }}
          {{- end }}
`

// chart is one with ten templates of the usual kind.
func chart() map[string]string {
	files := map[string]string{
		"chart/Chart.yaml":             "apiVersion: v2\nname: web\nversion: 0.1.0\nappVersion: 1.2.3\n",
		"chart/values.yaml":            "replicas: 3\nimage: {repository: ghcr.io/acme/web}\nannotations: {a: b, c: d}\nenv: {A: \"1\", B: \"2\", C: \"3\", D: \"4\"}\nresources: {limits: {cpu: 1, memory: 1Gi}, requests: {cpu: 100m, memory: 512Mi}}\n",
		"chart/templates/_helpers.tpl": "{{- define \"web.name\" -}}\n{{ .Release.Name | trunc 63 | trimSuffix \"-\" }}\n{{- end }}\n{{- define \"web.labels\" -}}\napp: {{ include \"web.name\" . }}\nversion: {{ .Chart.AppVersion | quote }}\n{{- end }}\n",
	}
	for i := range 10 {
		files[fmt.Sprintf("chart/templates/web%d.yaml", i)] = fmt.Sprintf(chartTemplate, i)
	}
	return files
}
