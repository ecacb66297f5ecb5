import { execFileSync, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.ts'

// A real nginx on loopback, with a certificate of its own, which passes requests on to a server.

const NGINX = '/usr/sbin/nginx'
const OPENSSL = '/usr/bin/openssl'

/** The reason to skip the tests with nginx; false if they can run. */
export const nginxAbsent =
  ![NGINX, OPENSSL].every((path) => existsSync(path)) &&
  `${NGINX} or ${OPENSSL} is absent: install the packages nginx and openssl`

type Proxy = AsyncDisposable & { readonly port: number }

/** Starts nginx for the hosts, with the directives of its only location. */
export async function startNginx(hosts: readonly string[], location: string): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), 'nginx-'))
  const port = await freePort()
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const names = hosts.map((host) => `DNS:${host}`).join(',')
  execFileSync(
    OPENSSL,
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=${hosts[0]} -addext subjectAltName=${names} -keyout ${key} -out ${cert}`.split(
      ' ',
    ),
    { stdio: 'pipe' },
  )
  await mkdir(join(folder, 'temporary'))
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/temporary/${name};`,
  )
  const config = join(folder, 'nginx.conf')
  await writeFile(
    config,
    `user root; daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
    events {}
    http {
      access_log off; ${paths.join(' ')}
      server {
        listen 127.0.0.1:${port} ssl;
        ssl_certificate ${cert}; ssl_certificate_key ${key};
        location / { ${location} }
      }
    }`,
  )
  const child = spawn(NGINX, ['-c', config, '-p', folder], { stdio: 'ignore' })
  const hasEnded = new Promise((resolve) => child.on('close', resolve))
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`${NGINX} ended with ${child.exitCode}`)
    await sleep(20)
  }
  return {
    port,
    async [Symbol.asyncDispose]() {
      child.kill('SIGQUIT')
      child.kill('SIGTERM')
      await hasEnded
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function isListening(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const socket = connect(port, '127.0.0.1')
  socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
  const found = await promise
  socket.destroy()
  return found
}
