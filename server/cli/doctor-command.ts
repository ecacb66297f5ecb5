import { Resolver as DnsResolver, lookup } from 'node:dns/promises'
import { styleText } from 'node:util'
import { type Command, InvalidArgumentError } from 'commander'
import { inspectSettings, type Settings } from '#config.ts'
import { systemClock } from '#lib/clock.ts'
import { commandLine } from '#lib/process.ts'
import { randomLetters, systemRandom } from '#lib/secrets.ts'
import { isBareAddress } from '#mail/render-email.ts'
import { findRealms } from '#realms/queries.ts'
import { realmAddress, SYSTEM_SUBDOMAIN } from '#realms/realm.ts'
import { type Inspection, inspectDatabase } from '#storage/inspect.ts'
import { findServerSecret } from '#storage/open-storage.ts'
import { addressChecks } from './doctor/address-checks.ts'
import { askProbe } from './doctor/ask.ts'
import { backupChecks } from './doctor/backup-checks.ts'
import {
  type CheckGroup,
  type DoctorContext,
  type Finding,
  problem,
  type Resolver,
  reasonOf,
  runGroup,
} from './doctor/check.ts'
import { dataChecks } from './doctor/data-checks.ts'
import { databaseChecks } from './doctor/database-checks.ts'
import { filesChecks } from './doctor/files-checks.ts'
import { mailChecks } from './doctor/mail-checks.ts'
import { settingsChecks, systemChecks } from './doctor/system-checks.ts'
import { findOwnAddress } from './health-command.ts'
import { jsonOption } from './output.ts'

/** The checks that read the database and the disk, one group after another, and those that wait for the network. */
const LOCAL: readonly CheckGroup[] = [settingsChecks, systemChecks, dataChecks, databaseChecks]
const REMOTE: readonly CheckGroup[] = [filesChecks, addressChecks, mailChecks, backupChecks]

/** The findings about a subject. */
export type Section = { title: string; findings: Finding[] }

type DoctorOptions = Pick<DoctorContext, 'isDeep' | 'isSlow' | 'mailTo'> & { resolver?: Resolver }

/** Examines the installation, and the server if it runs. Changes nothing. */
export async function examineInstallation(settings: Settings, options: DoctorOptions): Promise<Section[]> {
  const [clock, random] = [systemClock(), systemRandom]
  const secret = await open(() => {
    const found = findServerSecret(settings)
    if (found === null)
      throw new Error(`no server was ever started with DATA_DIR=${settings.DATA_DIR}: it has no secret`)
    return found
  })
  const database = await open(() => inspectDatabase(settings))
  await using _ = database.value
  const server = await open(async () => {
    const { url, ...there } = findOwnAddress(settings)
    const { server: found, status } = await askProbe({ secret, clock, random }, url, { ...there, seconds: 5 })
    if (found !== null) return found
    throw new Error(`what answers at ${url} (${status}) is no server of this version with the same secret`)
  })
  const context: DoctorContext = {
    ...{ settings, clock, random, secret, database, server, resolver: systemResolver() },
    hosts: await findHosts(settings, database.value),
    ...options,
  }
  const sections: Section[] = []
  for (const group of LOCAL) sections.push(await runGroup(group, context))
  return [...sections, ...(await Promise.all(REMOTE.map((group) => runGroup(group, context))))]
}

async function open<Value>(
  opening: () => Value | Promise<Value>,
): Promise<{ value: Value; reason: null } | { value: null; reason: string }> {
  try {
    return { value: await opening(), reason: null }
  } catch (error) {
    return { value: null, reason: reasonOf(error) }
  }
}

/** Returns the hosts of active organizations besides that of EXTERNAL_URL, and one that a new organization could get. */
async function findHosts(settings: Settings, database: Inspection | null): Promise<string[]> {
  const hostOf = (subdomain: string) => realmAddress(subdomain, settings.EXTERNAL_URL).hostName
  const isOpen = settings.OPEN_REALM_CREATION || settings.DEMO_ORGANIZATIONS
  const hosts = isOpen ? [hostOf(`doctor-${randomLetters(systemRandom, 8).toLowerCase()}`)] : []
  if (database === null || !database.isUsable) return hosts
  const mapped = new Set(Object.values(settings.REALM_HOSTS))
  // A damaged database is reported by its own check.
  const realms = await open(() => findRealms(database.db))
  for (const { subdomain, deactivatedAt } of realms.value ?? [])
    if (subdomain !== '' && subdomain !== SYSTEM_SUBDOMAIN && deactivatedAt === null && !mapped.has(subdomain))
      hosts.push(hostOf(subdomain))
  return [...Object.keys(settings.REALM_HOSTS), ...hosts].slice(0, 50)
}

function systemResolver(): Resolver {
  const dns = new DnsResolver({ timeout: 2000, tries: 2 })
  return {
    addresses: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
    texts: async (name) => (await dns.resolveTxt(name)).map((parts) => parts.join('')),
    async mailServers(domain) {
      const found = await dns.resolveMx(domain)
      return found.sort((one, other) => one.priority - other.priority).map(({ exchange }) => exchange)
    },
  }
}

/** Adds `doctor`, which examines an installation. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description('check the settings, the server and its surroundings, and say what to change; exit code 1 on problems')
    .option('--deep', 'check the whole SQLite database, whatever its size', false)
    .option('--slow', 'wait as long as clients do for responses, and for uploads over slow connections', false)
    .option('--mail-to <address>', 'send a test email to this address', requireAddress)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nThe command changes nothing. Run it as root or as the account of the server, with its settings.',
    )
    .action(async (options: { deep: boolean; slow: boolean; mailTo?: string; json: boolean }) => {
      const { settings, problems } = inspectSettings()
      const sections =
        settings === null
          ? [
              {
                title: settingsChecks.title,
                findings: problems.map(({ setting, problem: text }) => problem(setting, text, 'Correct it.')),
              },
            ]
          : await examineInstallation(settings, {
              ...{ isDeep: options.deep, isSlow: options.slow, mailTo: options.mailTo ?? null },
            })
      if (sections.some(({ findings }) => findings.some(({ result }) => result === 'problem'))) process.exitCode = 1
      process.stdout.write(options.json ? `${JSON.stringify(toJson(sections))}\n` : toText(sections))
    })
}

function requireAddress(text: string): string {
  if (!isBareAddress(text)) throw new InvalidArgumentError('It must be an email address.')
  return text
}

const RESULTS = ['problem', 'warning', 'ok', 'skipped'] as const

const countOf = (sections: readonly Section[], result: Finding['result']) =>
  sections.flatMap(({ findings }) => findings).filter((finding) => finding.result === result).length

function toJson(sections: readonly Section[]) {
  return {
    counts: Object.fromEntries(RESULTS.map((result) => [result, countOf(sections, result)])),
    checks: sections.flatMap(({ title, findings }) => findings.map((finding) => ({ group: title, ...finding }))),
  }
}

const MARKS = { problem: '✗', warning: '!', ok: '✓', skipped: '–' } as const
const COLORS = { problem: 'red', warning: 'yellow', ok: 'green', skipped: 'gray' } as const

/** Returns the findings for people, in color if standard output is a terminal. */
function toText(sections: readonly Section[]): string {
  const paint = (result: Finding['result'], text: string) => styleText(COLORS[result], text, { stream: process.stdout })
  const width = Math.max(...sections.flatMap(({ findings }) => findings.map(({ name }) => name.length)))
  const lines = sections
    .filter(({ findings }) => findings.length > 0)
    .flatMap(({ title, findings }) => [
      styleText('bold', title, { stream: process.stdout }),
      ...findings.flatMap(({ name, result, found, fix }) => [
        `  ${paint(result, `${MARKS[result]} ${name.padEnd(width)}  ${found}`)}`,
        ...(fix === null ? [] : [`    ${' '.repeat(width)}  → ${fix}`]),
      ]),
      '',
    ])
  const [problems = 0, warnings = 0, fine = 0, left = 0] = RESULTS.map((result) => countOf(sections, result))
  const count = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`
  const next =
    problems + warnings === 0
      ? 'Nothing has to be changed.'
      : `Do what the lines with → behind ${problems > 0 ? MARKS.problem : MARKS.warning} say${problems > 0 ? ' first' : ''}, then repeat \`${commandLine('doctor')}\`.`
  return `${lines.join('\n')}\n${count(problems, 'problem')}, ${count(warnings, 'warning')}, ${fine} ok, ${left} skipped. ${next}\n`
}
