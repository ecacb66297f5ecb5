import { createHmac, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readEnvironmentFile } from '#lib/environment-file.ts'
import { OperatorError } from '#lib/errors.ts'
import { CONFLICTS, NEEDED, PAIRS, servesHttps } from './config/contradictions.ts'
import {
  AS_IN_FILE,
  isPostgresUrl,
  isRelayUrl,
  listOf,
  MAX_DATABASES,
  RELAY_URL_FORM,
  SECRETS,
  type Settings,
  settingDeclarations,
} from './config/declarations.ts'
import { findUnknownVariables } from './config/unknown-variables.ts'

// The settings of the installation, which the operator gives as environment variables, or in a file of such variables.
// config/declarations.ts lists each with its form, default and description. An invalid setting keeps the server from
// starting, and all of them are reported at once. Settings that have no effect, and misspelled ones, are only warned about.
// No message contains a secret.

export {
  AS_IN_FILE,
  isPostgresUrl,
  isRelayUrl,
  listOf,
  MAX_DATABASES,
  RELAY_URL_FORM,
  type Settings,
  servesHttps,
  settingDeclarations,
}

type Environment = Readonly<Record<string, string | undefined>>

/** Something wrong with the settings. */
export type SettingProblem = {
  /** The name of the variable, or of several. */
  setting: string
  problem: string
  /** False if the server starts in spite of it. The variable then has no effect, or another one than intended. */
  isFatal: boolean
}

/** Where the value of a setting comes from. */
type SettingSource = 'environment' | 'settings file' | 'secret file' | 'derived' | 'default'

/** A setting that is in force. */
export type SettingInForce = {
  setting: keyof Settings
  /** The value as text, without secrets; empty if there is none. */
  value: string
  source: SettingSource
  /** The file that contains it, or the rule by which it was derived. */
  from: string | null
  /** True if it was given, and differs from the default. */
  isChanged: boolean
}

/** Reads the settings from the environment; throws one `OperatorError` that lists every invalid setting. */
export function readSettings(environment: Environment = process.env): Settings {
  const { settings, problems } = inspectSettings(environment)
  if (settings === null) throw new OperatorError(listProblems(problems))
  return settings
}

/** Returns the problems as text, those first that keep the server from starting; empty if there are none. */
export function listProblems(problems: readonly SettingProblem[]): string {
  const list = (heading: string, some: readonly SettingProblem[]) =>
    some.length === 0 ? [] : [heading, ...some.map(({ setting, problem }) => `  ${setting}: ${problem}`)]
  return [
    ...list(
      'Invalid settings:',
      problems.filter(({ isFatal }) => isFatal),
    ),
    ...list(
      'Settings that do not prevent the start, but are probably wrong:',
      problems.filter(({ isFatal }) => !isFatal),
    ),
  ].join('\n')
}

/** Returns the settings, or null if any is invalid, and everything that is wrong with them. */
export function inspectSettings(environment: Environment = process.env): {
  settings: Settings | null
  problems: SettingProblem[]
} {
  const problems: SettingProblem[] = []
  const complain = (setting: string, problem: string, isFatal = true) => problems.push({ setting, problem, isFatal })
  const entries = Object.entries(settingDeclarations).map(([name, { read, fallback }]) => {
    const text = readGiven(environment, name, complain)
    if (text === undefined || text === '') return [name, structuredClone(fallback)]
    if (/^(["']).*\1$/s.test(text)) {
      complain(name, 'remove the quotes around the value, which are read as a part of it')
      return [name, structuredClone(fallback)]
    }
    if (text.trim() !== text) complain(name, 'remove the spaces or line breaks around the value', false)
    const parsed = read.safeParse(text)
    if (!parsed.success) {
      const message = parsed.error.issues.map((issue) => [...issue.path, issue.message].join(': ')).join(', ')
      complain(name, SECRETS.has(name) ? message : `${message}; it is "${shortened(withoutPasswords(text))}"`)
    }
    return [name, parsed.success ? parsed.data : structuredClone(fallback)]
  })
  const given = Object.fromEntries(entries) as Settings
  const isGiven = (name: string) => Boolean(environment[name] || (SECRETS.has(name) && environment[`${name}_FILE`]))
  if (servesHttps(given)) {
    if (!isGiven('PORT')) given.PORT = portOfHttps(given.EXTERNAL_URL)
    if (!isGiven('LISTEN_HOST')) given.LISTEN_HOST = '*'
  }
  for (const [one, other] of PAIRS) if (isGiven(one) !== isGiven(other)) complain(`${one}, ${other}`, 'need each other')
  for (const { setting, isWrong, problem } of CONFLICTS) if (isWrong(given)) complain(setting, problem)
  const isChanged = (name: keyof Settings) =>
    isGiven(name) && JSON.stringify(given[name]) !== JSON.stringify(settingDeclarations[name].fallback)
  for (const { setting, needs, isUseful } of NEEDED)
    if (isChanged(setting) && !isUseful(given)) complain(setting, `has no effect without ${needs}`, false)
  for (const { setting, problem } of findUnknownVariables(environment)) complain(setting, problem, false)
  const isValid = problems.every(({ isFatal }) => !isFatal)
  return { settings: isValid ? completeSettings(given) : null, problems }
}

/** Returns the port of an https address. */
const portOfHttps = (url: string) => Number((URL.canParse(url) && new URL(url).port) || 443)

/** The maximum number of characters of a wrong value in a message. */
const MAX_SHOWN = 80

const shortened = (text: string) => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text)

/** Returns the text of a setting, from the environment or from the file that `NAME_FILE` names. */
function readGiven(
  environment: Environment,
  name: string,
  complain: (setting: string, problem: string) => void,
): string | undefined {
  const file = SECRETS.has(name) ? environment[`${name}_FILE`] : undefined
  if (file === undefined || file === '') return environment[name]
  if (environment[name]) complain(`${name}, ${name}_FILE`, 'only one of them can be set')
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    complain(
      `${name}_FILE`,
      `cannot be read by the account of this process (${(error as NodeJS.ErrnoException).code}); it is "${file}"`,
    )
    return undefined
  }
}

/** Returns a text without the passwords of URLs in it. */
function withoutPasswords(text: string): string {
  return text
    .replace(/(:\/\/[^:/?#@]*):[^/?#]*@/g, '$1:***@')
    .replace(/([?&][^=&]*(?:password|secret|token|key)[^=&]*=)[^&#]*/gi, '$1***')
}

/** Returns the value of a setting for people who must not see secrets. */
function shownValue(name: string, value: unknown, given: string | undefined): string {
  if (typeof value === 'object') return given || JSON.stringify(value)
  const text = String(value)
  if (text === '') return ''
  const mayBeSeen = !SECRETS.has(name) || (/_URL$/.test(name) && (URL.canParse(text) || !text.includes('@')))
  return mayBeSeen ? withoutPasswords(text) : 'set'
}

/** Returns all settings with the values that are in force. */
export function describeSettings(settings: Settings, environment: Environment = process.env): SettingInForce[] {
  const settingsFile = environment['PARLEY_ENV_FILE']
  const inFile = settingsFile ? readEnvironmentFile(settingsFile) : null
  return (Object.keys(settingDeclarations) as (keyof Settings)[]).map((setting) => {
    const { fallback, about } = settingDeclarations[setting]
    const [given, ownFile] = [environment[setting], environment[`${setting}_FILE`]]
    const isDifferent = JSON.stringify(settings[setting]) !== JSON.stringify(fallback)
    const shown = { setting, value: shownValue(setting, settings[setting], given), isChanged: isDifferent }
    if (SECRETS.has(setting) && ownFile) return { ...shown, source: 'secret file', from: ownFile }
    if (given && inFile?.get(setting) === given)
      return { ...shown, source: 'settings file', from: String(settingsFile) }
    if (given) return { ...shown, source: 'environment', from: null }
    if (!isDifferent) return { ...shown, source: 'default', from: null }
    return { ...shown, isChanged: false, source: 'derived', from: /Unset: (.*?)\.?$/.exec(about)?.[1] ?? null }
  })
}

/**
 * Adds the variables of a file, or else of the one that PARLEY_ENV_FILE names, to the environment of this process and
 * its children, and returns its path. Variables that are set already, even to an empty text, take precedence. Throws an
 * `OperatorError` if the file cannot be used.
 */
export function loadEnvironmentFile(
  file?: string,
  environment: Record<string, string | undefined> = process.env,
): string | null {
  if (file !== undefined) environment['PARLEY_ENV_FILE'] = file
  const path = environment['PARLEY_ENV_FILE']
  if (!path) return null
  for (const [name, value] of readEnvironmentFile(path)) environment[name] ??= value
  return path
}

/**
 * Returns the environment for a command on one database. It is that of this process, unless this process serves several
 * databases.
 */
export function environmentFor({ DATABASE_URL, BACKUP_DIR }: Settings, environment: Environment = process.env) {
  if (!environment['DATABASE_URLS'] && !environment['DATABASE_URLS_FILE']) return environment
  const none = { DATABASE_URL_FILE: '', DATABASE_URLS: '', DATABASE_URLS_FILE: '' }
  return { ...environment, DATABASE_URL, BACKUP_DIR, ...none }
}

/**
 * Returns a hash of the value of each setting, so that processes can compare their settings without reading them. Only
 * who knows the secret can test guesses.
 */
export function fingerprintSettings(settings: Settings, secret: KeyObject): Record<string, string> {
  const hash = (name: string, value: unknown) =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['setting', name, value]))
      .digest('base64url')
      .slice(0, 16)
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, hash(name, value)]))
}

/** The name of the SQLite database in DATA_DIR, unless DATABASE_URL names another. */
export const DATABASE_FILE = 'parley.db'

/** Fills in settings that are derived from others. */
export function completeSettings(settings: Settings): Settings {
  const externalUrl = settings.EXTERNAL_URL || `http://localhost:${settings.PORT}`
  const mailFrom = settings.MAIL_FROM || `noreply@${new URL(externalUrl).hostname}`
  const mailInDomain = settings.MAIL_IN_DOMAIN || (settings.MAIL_IN_PORT > 0 ? new URL(externalUrl).hostname : '')
  const [firstDatabase] = listOf(settings.DATABASE_URLS)
  const databaseUrl = settings.DATABASE_URL || firstDatabase || join(settings.DATA_DIR, DATABASE_FILE)
  return {
    ...settings,
    DATABASE_URL: databaseUrl,
    EXTERNAL_URL: externalUrl,
    MAIL_FROM: mailFrom,
    MAIL_IN_DOMAIN: mailInDomain,
  }
}
