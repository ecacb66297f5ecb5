import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { temporaryFolder } from './storage.ts'

const PROGRAM = '/usr/sbin/haproxy'

/** The reason to skip the tests behind a proxy; false if they can run. */
export const haproxyAbsent = !existsSync(PROGRAM) && `${PROGRAM} is absent: install the package haproxy`

/** Starts a proxy that distributes requests to those of the ports that are healthy. Returns its address. */
export async function startHaproxy(ports: readonly number[]): Promise<string> {
  const [port, folder] = [await freePort(), await temporaryFolder()]
  const file = path.join(folder, 'haproxy.cfg')
  const servers = ports.map((of) => `  server node${of} 127.0.0.1:${of} check inter 500ms fall 2 rise 1`)
  await writeFile(
    file,
    `defaults
  mode http
  timeout connect 2s
  timeout check 10s
  timeout client 90s
  timeout server 90s
  retries 3
  option redispatch 1
  retry-on conn-failure 503
frontend all
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  balance roundrobin
  option httpchk GET /health
  http-check disable-on-404
${servers.join('\n')}
`,
  )
  const child = spawn(PROGRAM, ['-f', file, '-db'], { stdio: 'ignore' })
  after(() => child.kill('SIGKILL'))
  await untilAnswered(child, `http://127.0.0.1:${port}/health`)
  return `http://127.0.0.1:${port}`
}

async function untilAnswered(child: ChildProcess, url: string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`HAProxy ended with code ${child.exitCode}`)
    const isAnswered = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isAnswered) return
    await sleep(50)
  }
}
