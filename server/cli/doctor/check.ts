import type { KeyObject } from 'node:crypto'
import type { Settings } from '#config.ts'
import type { ProbedServer } from '#http/probe.ts'
import type { Clock } from '#lib/clock.ts'
import type { Random } from '#lib/secrets.ts'
import type { Inspection } from '#storage/inspect.ts'

/** The result of a check. `fix` says what to change, as a command or a setting. */
export type Finding = {
  name: string
  result: 'ok' | 'warning' | 'problem' | 'skipped'
  found: string
  fix: string | null
}

export const ok = (name: string, found: string): Finding => ({ name, result: 'ok', found, fix: null })

export const warning = (name: string, found: string, fix: string): Finding => ({ name, result: 'warning', found, fix })

export const problem = (name: string, found: string, fix: string): Finding => ({ name, result: 'problem', found, fix })

export const skipped = (name: string, found: string, fix: string | null = null): Finding => ({
  ...{ name, result: 'skipped', found, fix },
})

/** Looks up names in DNS. Tests replace it. */
export type Resolver = {
  /** Returns the addresses of a host. */
  addresses(host: string): Promise<string[]>
  texts(name: string): Promise<string[]>
  /** Returns the mail servers of a domain, the preferred one first. */
  mailServers(domain: string): Promise<string[]>
}

/** Returns what was found, nothing if DNS has no such name or record, and null if DNS cannot be asked. */
export async function lookUp(search: Promise<string[]>): Promise<string[] | null> {
  try {
    return await search
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOTFOUND' || code === 'ENODATA' ? [] : null
  }
}

/** Something that could not be opened, and why. */
type Opened<Value> = { value: Value; reason: null } | { value: null; reason: string }

/** The installation that is examined. Checks change nothing. */
export type DoctorContext = {
  settings: Settings
  clock: Clock
  random: Random
  resolver: Resolver
  /** The secret of the installation. */
  secret: Opened<KeyObject>
  database: Opened<Inspection>
  /** The server that runs on this machine. */
  server: Opened<ProbedServer>
  /** The hosts of organizations besides that of EXTERNAL_URL. */
  hosts: readonly string[]
  /** True to read the whole database. */
  isDeep: boolean
  /** True to wait for slow answers. */
  isSlow: boolean
  /** An address to which a test email is sent, or null. */
  mailTo: string | null
}

/** Checks of one subject. A check that throws is a problem; one that takes longer than `seconds` is a warning. */
export type CheckGroup = {
  title: string
  /** True if the checks would disturb each other, so that they run one after another. */
  isInTurn?: boolean
  checks: readonly { name: string; seconds?: number; run: (context: DoctorContext) => Promise<Finding[]> | Finding[] }[]
}

/** The default time limit of a check in seconds. */
const TIME_LIMIT = 12

/** Runs the checks of a group, side by side unless it says otherwise. */
export async function runGroup({ title, isInTurn = false, checks }: CheckGroup, context: DoctorContext) {
  const findings: Finding[][] = []
  if (isInTurn) for (const check of checks) findings.push(await runCheck(check, context))
  else findings.push(...(await Promise.all(checks.map((check) => runCheck(check, context)))))
  return { title, findings: findings.flat() }
}

async function runCheck(
  { name, seconds = TIME_LIMIT, run }: CheckGroup['checks'][number],
  context: DoctorContext,
): Promise<Finding[]> {
  const { promise, resolve } = Promise.withResolvers<Finding[]>()
  const tooLate = warning(
    name,
    `not finished after ${seconds} seconds`,
    'Repeat the command when the machine is less busy.',
  )
  const timer = setTimeout(() => resolve([tooLate]), seconds * 1000)
  try {
    return await Promise.race([Promise.try(run, context), promise])
  } catch (error) {
    return [problem(name, reasonOf(error), 'Solve this, and repeat the command.')]
  } finally {
    clearTimeout(timer)
  }
}

/** Returns why something failed. What was tried at several addresses failed for several reasons. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  if (error instanceof AggregateError) return reasonOf(error.errors[0])
  return cause instanceof Error && error.message === 'fetch failed' ? reasonOf(cause) : error.message
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** Formats a number of bytes, such as `1.5 GiB`. */
export function formatBytes(bytes: number): string {
  const unit = Math.min(bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10), UNITS.length - 1)
  const number = bytes / 1024 ** unit
  return `${number < 10 && unit > 0 ? number.toFixed(1) : Math.round(number)} ${UNITS[unit]}`
}

/** Formats a time span in seconds, such as `3 days`. */
export function formatSpan(seconds: number): string {
  const [unit, size] =
    seconds < 120
      ? ['second', 1]
      : seconds < 7200
        ? ['minute', 60]
        : seconds < 172_800
          ? ['hour', 3600]
          : ['day', 86_400]
  const count = Math.round(seconds / Number(size))
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
