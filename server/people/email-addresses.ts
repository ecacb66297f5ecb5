import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { isIP } from 'node:net'
import { trimWhitespace } from '#lib/text.ts'
import { findRealmDomains, type RealmDomain } from '#realms/domains.ts'
import type { Realm } from '#realms/realm.ts'
import type { Db } from '#storage/storage.ts'

// Email addresses: their form, and the rules of an organization about the addresses of its users. Addresses are
// compared without regard to case.

/** The maximum length of an address in characters, including the @. */
export const MAX_EMAIL_LENGTH = 320

const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const QUOTED_LOCAL_PART = /^"[!#-'*+./0-:=?A-[\]^-~-]+"$/
const LABEL = /^[\p{L}\p{M}\p{N}]([\p{L}\p{M}\p{N}·-]{0,61}[\p{L}\p{M}\p{N}])?$/u
const TOP_LEVEL = /^([\p{L}\p{M}]{2,63}|xn--[a-z0-9-]{1,59})$/iu

/**
 * Returns whether the text is an address to which email can be sent. It must have an ASCII local part, followed by a
 * domain of two or more labels, `localhost`, or an IP address in brackets. Labels may be international. A valid address
 * cannot break out of an email header.
 */
export function isEmailAddress(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at < 1 || text.length > MAX_EMAIL_LENGTH) return false
  const localPart = text.slice(0, at)
  return (LOCAL_PART.test(localPart) || QUOTED_LOCAL_PART.test(localPart)) && isMailDomain(text.slice(at + 1))
}

function isMailDomain(domain: string): boolean {
  if (domain.toLowerCase() === 'localhost') return true
  const literal = /^\[([^\]]*)\]$/.exec(domain)?.[1]
  if (literal !== undefined) return isIP(literal) !== 0
  // Compatibility characters, such as ｘ for x, would allow a second spelling of a domain, which would evade the joining
  // rules.
  if (domain.normalize('NFC') !== domain.normalize('NFKC')) return false
  const labels = domain.split('.')
  const [topLevel = ''] = labels.slice(-1)
  return labels.length >= 2 && labels.every((label) => LABEL.test(label)) && TOP_LEVEL.test(topLevel)
}

/** Returns the part of the address after the last @, in lower case. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase()
}

/** Returns the part of the address before the last @. */
function localPartOf(email: string): string {
  return email.slice(0, email.lastIndexOf('@'))
}

/** The maximum number of domains for which the result is cached. */
const MAX_RESULTS = 5000

let list: Buffer | undefined
const results = new Map<string, boolean>()

/**
 * Returns whether a domain, in lower case, provides disposable addresses, according to the package
 * disposable-email-domains. The raw file is searched instead of parsed, so that its 120,000 domains take only 2 MB of
 * memory. It is read when it is first needed.
 */
function isDisposableDomain(domain: string): boolean {
  const cached = results.get(domain)
  if (cached !== undefined) return cached
  list ??= readFileSync(createRequire(import.meta.url).resolve('disposable-email-domains/index.json'))
  const isDisposable = !domain.includes('"') && list.includes(`"${domain}"`)
  if (results.size >= MAX_RESULTS) results.clear()
  results.set(domain, isDisposable)
  return isDisposable
}

/** The rules for the addresses of new accounts in an organization. */
type JoiningRules = { domains: readonly RealmDomain[] | null; allowsDisposable: boolean }

export async function findJoiningRules(db: Db, realm: Realm): Promise<JoiningRules> {
  const { emails_restricted_to_domains, disallow_disposable_email_addresses } = realm.settings
  return {
    domains: emails_restricted_to_domains ? await findRealmDomains(db, realm.id) : null,
    allowsDisposable: !disallow_disposable_email_addresses,
  }
}

/** Returns the reason why an account cannot have this address, as an error text of the API; null if it can. */
export function findEmailProblem(rules: JoiningRules, email: string): string | null {
  if (!isEmailAddress(email)) return 'Invalid address.'
  const domain = domainOf(email)
  if (rules.domains === null)
    return !rules.allowsDisposable && isDisposableDomain(domain) ? 'Please use your real email address.' : null
  if (localPartOf(email).includes('+')) return 'Email addresses containing + are not allowed.'
  return rules.domains.some((allowed) => isWithin(allowed, domain)) ? null : 'Outside your domain.'
}

function isWithin(allowed: RealmDomain, domain: string): boolean {
  return domain === allowed.domain || (allowed.allowsSubdomains && domain.endsWith(`.${allowed.domain}`))
}

/**
 * Returns the addresses in text that a user typed or pasted. Commas and line feeds separate the addresses. In `Ada
 * <ada@example.com>`, the part between the first `<` and the last `>` is the address. Each mailbox is returned once, in
 * its first spelling. Empty parts are ignored.
 */
export function splitAddresses(text: string): string[] {
  const byMailbox = new Map<string, string>()
  for (const piece of text.split(/[,\n]/)) {
    const address = trimWhitespace(bracketed(piece) ?? piece)
    const mailbox = address.toLowerCase()
    if (address !== '' && !byMailbox.has(mailbox)) byMailbox.set(mailbox, address)
  }
  return [...byMailbox.values()]
}

function bracketed(piece: string): string | null {
  const [start, end] = [piece.indexOf('<'), piece.lastIndexOf('>')]
  return start >= 0 && end > start ? piece.slice(start + 1, end) : null
}
