import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../free-port.ts'

// The real Prometheus on loopback, and its tool that checks metrics and rules.

const PROMETHEUS = '/usr/bin/prometheus'
const PROMTOOL = '/usr/bin/promtool'

/** The reason to skip the tests with Prometheus; false if they can run. */
export const prometheusAbsent =
  ![PROMETHEUS, PROMTOOL].every((path) => existsSync(path)) &&
  `${PROMETHEUS} or ${PROMTOOL} is absent: install the package prometheus`

/** Runs promtool; resolves with its exit code and all of its output. */
export function promtool(args: readonly string[], input = ''): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = execFile(PROMTOOL, args, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), output: stdout + stderr }),
    )
    child.stdin?.end(input)
  })
}

type Sample = { metric: Record<string, string>; value: [number, string] }

type QueryAnswer = {
  status: string
  error?: string
  data: { resultType: 'vector'; result: Sample[] } | { resultType: 'scalar'; result: Sample['value'] }
}

type Prometheus = {
  /** Returns the series of an instant query; throws the error of Prometheus. */
  query(expression: string): Promise<Sample[]>
}

const running: (() => Promise<void>)[] = []
after(async () => {
  for (const stop of running) await stop()
})

/** Starts Prometheus with one target, which it reads every second, and these rules. */
export async function startPrometheus(target: { port: number; token?: string }, rules: string): Promise<Prometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'prometheus-'))
  const port = await freePort()
  const configuration = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [rules],
    scrape_configs: [
      {
        job_name: 'parley',
        ...(target.token !== undefined && { authorization: { credentials: target.token } }),
        static_configs: [{ targets: [`127.0.0.1:${target.port}`] }],
      },
    ],
  }
  const path = join(folder, 'prometheus.yml')
  // JSON is YAML.
  await writeFile(path, JSON.stringify(configuration))
  const child = spawn(
    PROMETHEUS,
    [
      `--config.file=${path}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  )
  running.push(() => stop(child, folder))
  const url = `http://127.0.0.1:${port}`
  await becomesReady(child, url)
  return {
    async query(expression) {
      const response = await fetch(`${url}/api/v1/query`, {
        method: 'POST',
        body: new URLSearchParams({ query: expression }),
      })
      const { status, error, data } = (await response.json()) as QueryAnswer
      if (status !== 'success') throw new Error(`${error}: ${expression}`)
      return data.resultType === 'vector' ? data.result : [{ metric: {}, value: data.result }]
    },
  }
}

async function becomesReady(child: ChildProcess, url: string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`Prometheus ended with ${child.exitCode}`)
    const response = await fetch(`${url}/-/ready`).catch(() => null)
    if (response?.ok) return
    await sleep(50)
  }
}

async function stop(child: ChildProcess, folder: string): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill()
  if (child.exitCode === null) await ended
  await rm(folder, { recursive: true, force: true })
}
