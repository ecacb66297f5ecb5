import { isIP } from 'node:net'

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
export function localPartOf(email: string): string {
  return email.slice(0, email.lastIndexOf('@'))
}
