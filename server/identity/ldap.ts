import { connect as connectPlainly, isIP, type Socket } from 'node:net'
import { type ConnectionOptions, connect as connectSecurely } from 'node:tls'
import { AndFilter, Client, EqualityFilter, Filter, FilterParser, ResultCodeError, type SearchOptions } from 'ldapts'
import { type DirectorySettings, PLACEHOLDER } from '#lib/sign-in-file.ts'

// LDAP directories: finding the entry of a person, checking their password by a bind, and reading all entries. A name
// from a form is escaped before it becomes part of a filter. Every step has a time limit, and a directory that
// is down or answers nonsense is a problem to report, not an exception. Details never contain a password.

/** The entry of a person, as far as the declaration names its attributes. */
export type DirectoryEntry = {
  dn: string
  /** The value that identifies the entry: text, or the bytes of a binary attribute in hexadecimal digits. */
  subject: string
  email: string | null
  name: string
  picture: Buffer | null
  /** Values by the names of profile fields; '' where the entry has none. */
  profile: Readonly<Record<string, string>>
  /** Null if the declaration does not say how to find groups. */
  groups: string[] | null
  isDisabled: boolean
}

/** Why a directory could not be asked. `detail` is for the log and the operator. */
export type DirectoryProblem = { problem: 'unreachable' | 'refused' | 'invalid'; detail: string }

export const isDirectoryProblem = (answer: object | string | null): answer is DirectoryProblem =>
  typeof answer === 'object' && answer !== null && 'problem' in answer

/** Which entry to find: the one that a name leads to, or the one with an id. */
export type EntryKey = { name: string } | { subject: string }

/** The longest name that is looked up. */
const MAX_NAME = 256

/** The maximum number of sign-ins that wait for directories at once. */
const MAX_AT_ONCE = 32

let waiting = 0

/**
 * Returns the entry if the password is that of the entry. Returns 'unknown' unless exactly one entry has the key, and
 * 'wrong' if the password is wrong. `admit` runs before the password is tried, and may throw to prevent that. The entry
 * of a disabled person is returned with `isDisabled`.
 */
export async function checkDirectoryPassword(
  directory: DirectorySettings,
  key: EntryKey,
  password: string,
  admit: (subject: string) => Promise<void>,
): Promise<DirectoryEntry | 'unknown' | 'wrong' | DirectoryProblem> {
  // Servers take a bind without a password for an anonymous one, which succeeds.
  if (password === '') return 'wrong'
  if ('name' in key && (key.name === '' || key.name.length > MAX_NAME)) return 'unknown'
  if (waiting >= MAX_AT_ONCE) return { problem: 'unreachable', detail: 'too many sign-ins wait for directories' }
  waiting += 1
  try {
    return await withDirectory(directory, async (connection) => {
      const entry = await findEntry(connection, directory, key)
      if (entry === null) return 'unknown'
      await admit(entry.subject)
      return (await mayBind(connection, entry.dn, password)) ? entry : 'wrong'
    })
  } finally {
    waiting -= 1
  }
}

/** The result codes of a bind that say that the password does not open this entry, for whatever reason. */
const REFUSED_BINDS = new Set([19, 48, 49, 50, 53])

async function mayBind({ ask, client }: Connection, dn: string, password: string): Promise<boolean> {
  return ask(async () => {
    try {
      await client.bind(dn, password)
      return true
    } catch (error) {
      if (error instanceof ResultCodeError && REFUSED_BINDS.has(error.code)) return false
      throw error
    }
  })
}

/**
 * Calls `work` with a connection on which the searching account is bound, and closes it afterwards. Returns the problem
 * if no server of the directory can be reached or one of the requests of `work` fails. `signal` closes it early, so that
 * the next request fails.
 */
export async function withDirectory<Result>(
  directory: DirectorySettings,
  work: (connection: Connection) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result | DirectoryProblem> {
  const problems: DirectoryProblem[] = []
  for (const url of directory.urls) {
    using connection = openConnection(directory, url, signal)
    try {
      await connection.encrypt()
      await connection.bindAsSearcher()
    } catch (error) {
      if (!(error instanceof FailedRequest)) throw error
      problems.push(error.problem)
      continue
    }
    try {
      return await work(connection)
    } catch (error) {
      if (error instanceof FailedRequest) return error.problem
      throw error
    }
  }
  const detail = problems.map((one, at) => `${directory.urls[at]}: ${one.detail}`).join('; ')
  return { problem: problems.at(-1)?.problem ?? 'unreachable', detail }
}

/** A request to the directory that failed. */
class FailedRequest extends Error {
  readonly problem: DirectoryProblem

  constructor(problem: DirectoryProblem) {
    super(problem.detail)
    this.problem = problem
  }
}

export type Connection = Disposable & {
  client: Client
  /** Makes requests with the client. If they fail, it throws a `FailedRequest`. */
  ask<Result>(requests: () => Promise<Result>): Promise<Result>
  /** Encrypts the connection with StartTLS, if the declaration says so. */
  encrypt(): Promise<void>
  bindAsSearcher(): Promise<void>
}

/** Returns a connection to one server of the directory, which opens with its first use. `signal` closes it. */
function openConnection(directory: DirectorySettings, url: string, signal?: AbortSignal): Connection {
  const { bind_dn: searcher, bindPassword, ca, start_tls: startsTls } = directory
  const timeout = directory.timeout_seconds * 1000
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  const trust = (): ConnectionOptions => ({
    host,
    rejectUnauthorized: true,
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== null && { ca }),
  })
  const sockets: Socket[] = []
  const keep = <Opened extends Socket>(socket: Opened): Opened => {
    sockets.push(socket)
    return socket
  }
  const client = new Client({
    url,
    timeout,
    connectTimeout: timeout,
    ...(url.startsWith('ldaps:') && { tlsOptions: trust() }),
    createConnection: ((...given: Parameters<typeof connectPlainly>) =>
      keep(connectPlainly(...given))) as typeof connectPlainly,
    createSecureConnection: ((...given: Parameters<typeof connectSecurely>) =>
      keep(connectSecurely(...given))) as typeof connectSecurely,
  })
  const close = () => {
    signal?.removeEventListener('abort', close)
    for (const socket of sockets) socket.on('error', () => {}).destroy()
  }
  signal?.addEventListener('abort', close)
  return {
    client,
    async ask(requests) {
      try {
        return await requests()
      } catch (error) {
        throw error instanceof FailedRequest ? error : new FailedRequest(toProblem(error))
      }
    },
    // The handshake after StartTLS has no time limit of its own.
    encrypt() {
      return this.ask(async () => {
        if (startsTls) await within(timeout, client.startTLS(trust()))
      })
    },
    bindAsSearcher() {
      // Without an account, an anonymous bind shows that the directory can be reached.
      return this.ask(() => (searcher === undefined ? client.bind('', '') : client.bind(searcher, bindPassword)))
    },
    [Symbol.dispose]: close,
  }
}

async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  const { promise: limit, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error('StartTLS timed out')), milliseconds)
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}

/** Returns what went wrong with a request, in words for the operator. The client reports the rest without a code. */
function toProblem(error: unknown): DirectoryProblem {
  const message =
    String((error as Error).message)
      .split('\n')[0]
      ?.slice(0, 200) ?? ''
  if (error instanceof ResultCodeError)
    return { problem: 'refused', detail: error.code === 49 ? WRONG_SEARCHER : `${message} (result ${error.code})` }
  const { code } = error as { code?: unknown }
  return { problem: 'unreachable', detail: typeof code === 'string' ? `${code}: ${message}` : message }
}

const WRONG_SEARCHER = 'bind_dn or its password is wrong'

/** Returns the only entry with the key, with its groups; null if there is none or more than one. */
export async function findEntry(
  connection: Connection,
  directory: DirectorySettings,
  key: EntryKey,
): Promise<DirectoryEntry | null> {
  const [found, another] = await search(connection, directory.base_dn, {
    ...wantedFrom(directory),
    filter: 'name' in key ? filterOfName(directory, key.name) : filterOfSubject(directory, key.subject),
    sizeLimit: 2,
  })
  if (found === undefined || another !== undefined) return null
  const { disabled_filter: filter } = directory
  const isDisabled =
    filter !== undefined && (await search(connection, found.dn, { scope: 'base', filter, ...WITHOUT })).length > 0
  return readEntry(connection, directory, found, isDisabled)
}

/** Asks for no attributes. */
const WITHOUT = { attributes: ['1.1'] }

const search = ({ ask, client }: Connection, base: string, options: SearchOptions): Promise<Found[]> =>
  ask(async () => (await client.search(base, options)).searchEntries)

/** A step of a check, for the operator. */
export type DirectoryCheck = { step: string; ok: boolean; detail: string }

/**
 * Checks one server of the directory step by step, up to the first that fails: the connection with its encryption, the
 * bind, and the search for a person, or for the base if `name` is null. Tries nobody's password.
 */
export async function checkDirectory(
  directory: DirectorySettings,
  url: string,
  name: string | null,
): Promise<DirectoryCheck[]> {
  using connection = openConnection(directory, url)
  const checks: DirectoryCheck[] = []
  const { bind_dn, base_dn, start_tls } = directory
  const encryption = url.startsWith('ldaps:') ? 'TLS' : start_tls ? 'StartTLS' : 'none'
  const steps: [step: string, check: () => Promise<string>][] = [
    ['encryption', () => connection.encrypt().then(() => encryption)],
    ['bind', () => connection.bindAsSearcher().then(() => bind_dn ?? 'anonymous')],
    ['base', () => search(connection, base_dn, { scope: 'base', ...WITHOUT }).then(() => base_dn)],
  ]
  if (name !== null)
    steps.push([
      'search',
      async () => {
        const options = { filter: filterOfName(directory, name), sizeLimit: 2, ...WITHOUT }
        const { length } = await search(connection, base_dn, options)
        const searched = textOfName(directory, name)
        if (length === 1) return searched
        const detail = `${length === 0 ? 'no entry' : 'more than one entry'} for ${searched}`
        throw new FailedRequest({ problem: 'invalid', detail })
      },
    ])
  for (const [step, check] of steps)
    try {
      checks.push({ step, ok: true, detail: await check() })
    } catch (error) {
      if (!(error instanceof FailedRequest)) throw error
      return [...checks, { step, ok: false, detail: error.problem.detail }]
    }
  return name === null ? checks : [...checks, ...(await checkEntry(connection, directory, name))]
}

async function checkEntry(
  connection: Connection,
  directory: DirectorySettings,
  name: string,
): Promise<DirectoryCheck[]> {
  try {
    const entry = await findEntry(connection, directory, { name })
    if (entry === null) return [{ step: 'entry', ok: false, detail: 'no entry' }]
    const { dn, subject, email, name: fullName, picture, profile, groups, isDisabled } = entry
    const facts = {
      entry: dn,
      id: subject,
      email,
      name: fullName,
      picture: picture && `${picture.length} bytes`,
      ...profile,
    }
    return [
      ...Object.entries(facts).map(([step, value]) => ({ step, ok: true, detail: value || '(none)' })),
      { step: 'groups', ok: true, detail: groups === null ? 'not declared' : groups.join(', ') || '(none)' },
      { step: 'disabled', ok: true, detail: isDisabled ? 'yes' : 'no' },
    ]
  } catch (error) {
    if (!(error instanceof FailedRequest)) throw error
    return [{ step: 'entry', ok: false, detail: error.problem.detail }]
  }
}

/** The number of entries that are requested at a time. */
const PAGE = 500

/**
 * Yields the wanted ones of all entries that the search filter matches for any name, page by page. A directory may leave
 * out entries without an error: find an entry by its id before you take it for gone. Entries without an id are only given
 * to `onWithoutId`, with their DN.
 */
export async function* readEntries(
  connection: Connection,
  directory: DirectorySettings,
  isWanted: (subject: string) => boolean,
  onWithoutId: (dn: string) => void,
): AsyncGenerator<DirectoryEntry> {
  const everyone = filterOfEveryone(directory)
  const paged = { pageSize: PAGE }
  const disabled = new Set<string>()
  if (directory.disabled_filter !== undefined) {
    const filter = new AndFilter({ filters: [everyone, FilterParser.parseString(directory.disabled_filter)] })
    for (const { dn } of await search(connection, directory.base_dn, { filter, ...WITHOUT, paged })) disabled.add(dn)
  }
  const options = { ...wantedFrom(directory), filter: everyone, paged }
  const pages = connection.client.searchPaginated(directory.base_dn, options)
  for (;;) {
    const { value, done } = await connection.ask(() => pages.next())
    if (done) return
    for (const found of value.searchEntries) {
      const subject = findSubject(directory, found)
      if (subject === null) onWithoutId(found.dn)
      else if (isWanted(subject)) yield await readEntry(connection, directory, found, disabled.has(found.dn))
    }
  }
}

/** Attributes with binary values, in the spelling that directories return. */
const BINARY = ['objectGUID', 'objectSid', 'jpegPhoto', 'thumbnailPhoto']

const isBinary = (name: string) => BINARY.some((known) => known.toLowerCase() === name.toLowerCase())

/** Returns the attributes that the declaration needs of entries of people. */
function wantedFrom({ attributes, groups_attribute, groups_search }: DirectorySettings) {
  const { id, email, full_name, picture, profile_fields = {} } = attributes
  const placeholders = Array.from(groups_search?.filter.matchAll(PLACEHOLDER) ?? [], ([, name = '']) => name)
  const names = [id, email, full_name, picture, groups_attribute, ...Object.values(profile_fields), ...placeholders]
  return {
    attributes: [...new Set(names.filter((name) => name !== undefined && name !== 'dn'))] as string[],
    explicitBufferAttributes: [...BINARY, ...(picture === undefined ? [] : [picture])],
  }
}

/** Returns the search filter with the name, escaped. */
const textOfName = ({ search_filter }: DirectorySettings, name: string): string =>
  search_filter.replaceAll('{name}', () => Filter.escape(name))

const filterOfName = (directory: DirectorySettings, name: string): Filter =>
  FilterParser.parseString(textOfName(directory, name))

const filterOfEveryone = ({ search_filter }: DirectorySettings): Filter =>
  FilterParser.parseString(search_filter.replaceAll('{name}', '*'))

/** Matches the entry only as long as the search filter matches it for some name. */
function filterOfSubject(directory: DirectorySettings, subject: string): Filter {
  const attribute = directory.attributes.id
  const value = isBinary(attribute) ? Buffer.from(subject, 'hex') : subject
  return new AndFilter({ filters: [new EqualityFilter({ attribute, value }), filterOfEveryone(directory)] })
}

type Found = Awaited<ReturnType<Client['search']>>['searchEntries'][number]

async function readEntry(
  connection: Connection,
  directory: DirectorySettings,
  found: Found,
  isDisabled: boolean,
): Promise<DirectoryEntry> {
  const { email, full_name, picture, profile_fields = {} } = directory.attributes
  return {
    dn: found.dn,
    subject: subjectOf(directory, found),
    email: textOf(found, email)?.trim() || null,
    name: textOf(found, full_name) ?? '',
    picture: picture === undefined ? null : (toBytes(valuesOf(found, picture)[0]) ?? null),
    profile: Object.fromEntries(
      Object.entries(profile_fields).map(([field, name]) => [field, textOf(found, name) ?? '']),
    ),
    groups: await findGroups(connection, directory, found),
    isDisabled,
  }
}

function findSubject({ attributes: { id } }: DirectorySettings, found: Found): string | null {
  return (isBinary(id) ? toBytes(valuesOf(found, id)[0])?.toString('hex') : textOf(found, id)) || null
}

function subjectOf(directory: DirectorySettings, found: Found): string {
  const subject = findSubject(directory, found)
  if (subject !== null) return subject
  throw new FailedRequest({ problem: 'invalid', detail: `an entry has no ${directory.attributes.id}` })
}

/** Returns the groups of the entry, spelled as in the mappings if they are in one. LDAP ignores case in names. */
async function findGroups(
  connection: Connection,
  directory: DirectorySettings,
  found: Found,
): Promise<string[] | null> {
  const { groups_attribute, groups_search, groups = {}, roles = {} } = directory
  const mapped = new Map([...Object.keys(groups), ...Object.keys(roles)].map((name) => [nameKey(name), name]))
  const spell = (names: readonly string[]) => names.map((name) => mapped.get(nameKey(name)) ?? name)
  if (groups_attribute !== undefined) return spell(textsOf(found, groups_attribute))
  if (groups_search === undefined) return null
  const { base_dn, filter, attribute } = groups_search
  const valueFor = (name: string) => (name === 'dn' ? found.dn : (textOf(found, name) ?? ''))
  const entries = await search(connection, base_dn, {
    filter: filter.replace(PLACEHOLDER, (_, name: string) => Filter.escape(valueFor(name))),
    attributes: [attribute],
    paged: { pageSize: PAGE },
  })
  return spell(entries.flatMap((group) => textsOf(group, attribute)))
}

const nameKey = (name: string) => name.toLowerCase().replace(/\s*([,=])\s*/g, '$1')

/** Returns the values of an attribute, whatever the case in which the directory returns its name. */
function valuesOf(found: Found, name: string): readonly (string | Buffer)[] {
  const key = Object.keys(found).find((one) => one !== 'dn' && one.toLowerCase() === name.toLowerCase())
  const value = key === undefined ? [] : found[key]
  return Array.isArray(value) ? value : value === undefined ? [] : [value]
}

const textsOf = (found: Found, name: string): string[] =>
  valuesOf(found, name).filter((value) => typeof value === 'string')

const textOf = (found: Found, name: string): string | undefined => textsOf(found, name)[0]

const toBytes = (value: string | Buffer | undefined): Buffer | undefined =>
  typeof value === 'string' ? Buffer.from(value) : value
