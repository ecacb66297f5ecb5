import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { arch, platform } from 'node:os'
import { promisify } from 'node:util'
import { fingerprintSettings, inspectSettings } from '#config.ts'
import { findMaxOpenFiles, findMemoryLimit } from '#http/probe.ts'
import { canResize } from '#lib/images.ts'
import { commandLine, programVersion, startCommand } from '#lib/process.ts'
import { findUnreadableFiles } from '../config-commands.ts'
import { ALL_ADDRESSES } from './ask.ts'
import {
  type CheckGroup,
  type DoctorContext,
  type Finding,
  formatBytes,
  formatSpan,
  ok,
  problem,
  skipped,
  warning,
} from './check.ts'

// The settings, the running server, and the machine.

function checkSettings({ settings, server, secret }: DoctorContext): Finding[] {
  const problems = [...inspectSettings().problems, ...findUnreadableFiles(settings)]
  const findings = problems.map(({ setting, problem: text, isFatal }) =>
    (isFatal ? problem : warning)(
      setting,
      text,
      `Correct it where it is set: \`${commandLine('config show')}\` lists the sources.`,
    ),
  )
  if (findings.length === 0) findings.push(ok('settings', 'valid'))
  if (server.value !== null && secret.value !== null) {
    const [ours, theirs] = [fingerprintSettings(settings, secret.value), server.value.settings]
    const different = Object.keys(ours).filter((name) => name in theirs && ours[name] !== theirs[name])
    findings.push(
      different.length === 0
        ? ok('settings of the server', 'the same as those of this command')
        : warning(
            'settings of the server',
            `the running server has other values of ${different.join(', ')}`,
            'Restart the server if you changed them. Otherwise, run this command with the settings of the server (--settings-file).',
          ),
    )
  }
  return findings
}

async function checkServer({ server, clock, settings }: DoctorContext): Promise<Finding[]> {
  if (server.value === null) {
    if (await isPortOpen(settings))
      return [
        problem(
          'running',
          `port ${settings.PORT} is in use, but not by this server: ${server.reason}`,
          'Stop the other program, or choose another PORT. If it is an older Parley, restart it.',
        ),
      ]
    return [skipped('running', server.reason, `To check a running server, start it: ${startCommand()}`)]
  }
  const { version, pid, started_at: startedAt } = server.value
  const findings = [ok('running', `process ${pid}, for ${formatSpan(clock.now() - startedAt)}`)]
  findings.push(
    version === programVersion
      ? ok('version', version)
      : warning(
          'version',
          `the server is ${version}, and this command ${programVersion}`,
          'Restart the server to run the installed version.',
        ),
  )
  for (const { name, since } of server.value.failing_jobs)
    findings.push(
      warning(
        `job ${name}`,
        `every attempt has failed since ${new Date(since * 1000).toISOString()}`,
        'Look for its error in the log of the server, such as journalctl -u parley.',
      ),
    )
  if (
    settings.TRUST_X_REAL_IP === false &&
    settings.LISTEN_HOST !== 'localhost' &&
    settings.EXTERNAL_URL.startsWith('http:')
  )
    findings.push(...checkExposure(settings.EXTERNAL_URL))
  return findings
}

/** Returns whether any program listens on the address of the settings. */
function isPortOpen({ LISTEN_HOST, PORT }: DoctorContext['settings']): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const host = ALL_ADDRESSES.includes(LISTEN_HOST) ? 'localhost' : LISTEN_HOST
  const socket = connect({ host, port: PORT, timeout: 2000 })
  socket.on('connect', () => resolve(true))
  socket.on('timeout', () => resolve(false))
  socket.on('error', () => resolve(false))
  return promise.finally(() => socket.destroy())
}

function checkExposure(url: string): Finding[] {
  const { hostname } = new URL(url)
  return /^(localhost|127\.|\[::1\])/.test(hostname)
    ? []
    : [
        problem(
          'encryption',
          `${url} is plain http: passwords, sessions and messages can be intercepted`,
          'Run a TLS proxy in front of the server, and set EXTERNAL_URL to its https address.',
        ),
      ]
}

/** The number of files that a server for some thousand clients has open. */
const MIN_FILES = 4096

/** The memory in bytes with which a small organization works. */
const LITTLE_MEMORY = 256 * 1024 ** 2

/** The length of the queue of connections that the server asks for. */
const BACKLOG = 4096

function checkLimits({ server }: DoctorContext): Finding[] {
  const files = server.value === null ? findMaxOpenFiles() : server.value.max_open_files
  const limit = server.value === null ? findMemoryLimit() : (server.value.memory.limit ?? null)
  const of = server.value === null ? ' for this command' : ''
  const backlog = readNumber('/proc/sys/net/core/somaxconn')
  return [
    ...(files === null
      ? []
      : [
          files < MIN_FILES
            ? warning(
                'open files',
                `at most ${files}${of}; each client needs one or two`,
                'Set LimitNOFILE=65536 in the unit of systemd, or ulimit -n 65536 before the start.',
              )
            : ok('open files', `at most ${files}${of}`),
        ]),
    ...(backlog === null
      ? []
      : [
          backlog < BACKLOG
            ? warning(
                'net.core.somaxconn',
                `${backlog}: when many clients connect at once, some are refused`,
                `sysctl -w net.core.somaxconn=${BACKLOG}, and write it to /etc/sysctl.d/parley.conf`,
              )
            : ok('net.core.somaxconn', String(backlog)),
        ]),
    limit !== null && limit < LITTLE_MEMORY
      ? warning(
          'memory',
          `limited to ${formatBytes(limit)}`,
          `Allow ${formatBytes(LITTLE_MEMORY)} or more (MemoryMax of systemd, or the limit of the container).`,
        )
      : ok(
          'memory',
          `${limit === null ? 'no limit' : `a limit of ${formatBytes(limit)}`}${server.value === null ? '' : `; the server uses ${formatBytes(server.value.memory.used)}`}`,
        ),
  ]
}

function readNumber(file: string): number | null {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}

function checkProgram({ server, settings }: DoctorContext): Finding[] {
  const uid = server.value === null ? null : server.value.uid
  return [
    ok(
      'program',
      `Parley ${programVersion}, Node.js ${server.value?.node ?? process.version}, ${platform()} ${arch()}`,
    ),
    ...(uid === 0
      ? [
          warning(
            'account',
            'the server runs as root',
            'Run it as an account of its own, such as User=parley in the unit of systemd.',
          ),
        ]
      : []),
    canResize(settings)
      ? ok('pictures', 'are resized')
      : settings.IMAGE_RESIZING
        ? warning(
            'pictures',
            'are not resized, because the package sharp is not installed for this machine',
            'Install the optional packages again, or set IMAGE_RESIZING=false.',
          )
        : skipped('pictures', 'IMAGE_RESIZING=false'),
  ]
}

async function checkClock(): Promise<Finding[]> {
  try {
    const { stdout } = await promisify(execFile)(
      'timedatectl',
      ['show', '--property=NTPSynchronized', '--property=NTP'],
      { timeout: 3000 },
    )
    const isSynchronized = /NTPSynchronized=yes/.test(stdout)
    return [
      isSynchronized
        ? ok('synchronization', 'the clock is synchronized')
        : warning(
            'synchronization',
            'the clock of this machine is not synchronized',
            /NTP=yes/.test(stdout)
              ? 'Wait a minute; then look at `timedatectl timesync-status`.'
              : 'timedatectl set-ntp true; without an NTP client, install chrony',
          ),
    ]
  } catch {
    return [skipped('synchronization', 'timedatectl is not available here')]
  }
}

export const settingsChecks: CheckGroup = { title: 'Settings', checks: [{ name: 'settings', run: checkSettings }] }

export const systemChecks: CheckGroup = {
  title: 'Server',
  checks: [
    { name: 'running', run: checkServer },
    { name: 'limits', run: checkLimits },
    { name: 'program', run: checkProgram },
    { name: 'synchronization', run: checkClock },
  ],
}
