import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { settingDeclarations } from '#config.ts'
import { programVersion } from '#lib/process.ts'

// The files with which containers are built and run: the Dockerfile, those of Compose, and the Helm chart.

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const CHART = path.join(root, 'deploy/helm/parley')
const composeFiles = readdirSync(root).filter((name) => /^compose.*\.yaml$/.test(name))

test('the image, the compose files and the chart have the version of package.json', () => {
  const versions = [
    /^ARG VERSION=(.*)$/m.exec(read('Dockerfile'))?.[1],
    ...['compose.yaml', 'compose.cluster.yaml'].map(
      (file) => /image: \$\{PARLEY_IMAGE:-parley:(.*)\}/.exec(read(file))?.[1],
    ),
    /^version: (.*)$/m.exec(read('deploy/helm/parley/Chart.yaml'))?.[1],
    /^appVersion: "(.*)"$/m.exec(read('deploy/helm/parley/Chart.yaml'))?.[1],
  ]

  for (const version of versions) assert.equal(version, programVersion)
})

/** Names in the environment of our containers that are no settings. */
const OTHER_VARIABLES = ['PATH', 'PARLEY_COMMAND', 'DATABASE_ADDRESS']

const namesIn = (text: string | undefined, pattern: RegExp) =>
  [...(text ?? '').matchAll(pattern)].map(([, name = '']) => name.replace(/_FILE$/, ''))

test('all settings in the environment of the containers exist', () => {
  const chart = read('deploy/helm/parley/templates/_helpers.tpl')
  const names = {
    Dockerfile: namesIn(/^ENV (?:.*\\\n)*.*$/m.exec(read('Dockerfile'))?.[0], /([A-Z_]+)=/g),
    // The first environment in these files is that of the server.
    ...Object.fromEntries(
      composeFiles.map((file) => {
        const [, , environment] = /^( +)environment:\n((?:\1 {2}.*\n)+)/m.exec(read(file)) ?? []
        return [file, namesIn(environment, /^ +([A-Z_]+):/gm)]
      }),
    ),
    chart: [...namesIn(chart, /- name: ([A-Z_]+)$/gm), ...namesIn(chart, /"([A-Z]{4}[A-Z_]*)"/g)],
  }

  for (const [file, found] of Object.entries(names)) {
    assert.ok(found.length >= 2, file)
    const unknown = found.filter((name) => !OTHER_VARIABLES.includes(name) && !Object.hasOwn(settingDeclarations, name))
    assert.deepEqual(unknown, [], file)
  }
})

const hasHelm = spawnSync('helm', ['version']).status === 0
const skip = hasHelm ? false : 'helm is absent: go install helm.sh/helm/v3/cmd/helm@v3.22.0'

/** Renders the chart with one of its files of values and further values; returns the manifests, or why it refused. */
function render(file: string, ...values: string[]): { manifests: string; complaint: string } {
  const given = ['--values', path.join(CHART, 'ci', file), ...values.flatMap((value) => ['--set', value])]
  const { stdout, stderr } = spawnSync('helm', ['template', 'chat', CHART, '--kube-version=1.34.0', ...given], {
    encoding: 'utf8',
  })
  return { manifests: stdout, complaint: stderr }
}

const kindsIn = (manifests: string) => namesIn(manifests, /^kind: (\w+)$/gm).sort()

test('the chart renders each of its installations without warnings', { skip }, () => {
  for (const file of readdirSync(path.join(CHART, 'ci')))
    execFileSync('helm', ['lint', '--strict', CHART, '--kube-version=1.34.0', '--values', path.join(CHART, 'ci', file)])

  const single = render('single-values.yaml').manifests
  const cluster = render('cluster-values.yaml').manifests

  assert.deepEqual(kindsIn(single), ['Ingress', 'PersistentVolumeClaim', 'Pod', 'Service', 'StatefulSet'])
  assert.deepEqual(kindsIn(cluster), [
    'Deployment',
    'HTTPRoute',
    'HorizontalPodAutoscaler',
    'NetworkPolicy',
    'Pod',
    'PodDisruptionBudget',
    'PodMonitor',
    'Service',
  ])
  assert.match(cluster, /targetLabel: job\n +replacement: parley\n/)
  for (const manifests of [single, cluster]) {
    assert.match(manifests, /readOnlyRootFilesystem: true/)
    assert.match(manifests, /livenessProbe:\n +httpGet: \{ path: \/health\/live,/)
  }
})

const refusals: [values: string[], says: RegExp][] = [
  [['image.repository='], /image\.repository is missing/],
  [['externalUrl='], /externalUrl is missing/],
  [['replicaCount=2'], /Several pods cannot share a SQLite database/],
  [['autoscaling.enabled=true'], /Several pods cannot share a SQLite database/],
  [
    ['replicaCount=2', 'secrets.DATABASE_URL.name=x'],
    /Set filesUrl=s3:\/\/…, or persistence\.accessMode=ReadWriteMany/,
  ],
  [['filesUrl=s3://chat', 'secrets.DATABASE_URL.name=x'], /name it as secrets\.SECRET_KEY/],
  [['filesUrl=s3://key:secret@chat'], /filesUrl contains keys/],
  [['settings.SECRET_KEY=0123456789'], /settings\.SECRET_KEY is a secret/],
  [['settings.DATABASE_READ_URLS=postgres://x/y'], /settings\.DATABASE_READ_URLS is a secret/],
  [['secrets.DATABASE_READ_URLS.name=x'], /needs secrets\.DATABASE_URL/],
  [['secrets.DATABASE_URLS.name=x'], /secrets\.DATABASE_URLS begins with the URL/],
  [['settings.PORT=80'], /settings\.PORT cannot be set/],
  [['settings.EXTERNAL_URL=https://x'], /set externalUrl instead/],
  [['autoscaling.enabled=true', 'resources.requests=null'], /autoscaling needs resources\.requests\.cpu/],
  [['networkPolicy.enabled=true'], /networkPolicy\.from is missing/],
  [['gateway.enabled=true'], /gateway\.parentRefs is missing/],
  [['replicas=3'], /additional properties 'replicas' not allowed/],
  [['externalUrl=chat.example.com'], /'\/externalUrl'/],
]

test('the chart refuses values that contradict each other, and says what to set', { skip }, () => {
  for (const [values, says] of refusals) {
    const { manifests, complaint } = render('single-values.yaml', ...values)
    assert.deepEqual([manifests, says.test(complaint) || complaint], ['', true])
  }
})
