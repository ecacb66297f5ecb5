import { isIP } from 'node:net'

/** In characters, the @ included. */
export const MAX_EMAIL_LENGTH = 320

const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/
const QUOTED_LOCAL_PART = /^"[!#-'*+./0-:=?A-[\]^-~-]+"$/
const LABEL = /^[\p{L}\p{M}\p{N}]([\p{L}\p{M}\p{N}·-]{0,61}[\p{L}\p{M}\p{N}])?$/u
const TOP_LEVEL = /^([\p{L}\p{M}]{2,63}|xn--[a-z0-9-]{1,59})$/iu

/**
 * Whether mail could be sent there: an ASCII local part, and as domain two labels or more (international ones too),
 * `localhost`, or an IP address in brackets. Nothing in it ends an address in the header of a mail.
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
  // Letters in other shapes (ｘ for x) would be other spellings of a domain that rules know by one.
  if (domain.normalize('NFC') !== domain.normalize('NFKC')) return false
  const labels = domain.split('.')
  const [topLevel = ''] = labels.slice(-1)
  return labels.length >= 2 && labels.every((label) => LABEL.test(label)) && TOP_LEVEL.test(topLevel)
}

/** What stands behind the last @, in lower case. */
export function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase()
}

/** What stands before the last @. */
export function localPartOf(email: string): string {
  return email.slice(0, email.lastIndexOf('@'))
}
