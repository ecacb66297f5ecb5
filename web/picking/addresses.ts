/** The status of an address, as far as the client knows it. */
export type AddressStatus = 'fine' | 'malformed' | 'member' | 'invited' | 'foreign'

/** The known addresses of members and invitations in lower case. `domains` is null if all domains are allowed. */
export type AddressContext = {
  members: ReadonlySet<string>
  invited: ReadonlySet<string>
  domains: readonly { domain: string; allow_subdomains: boolean }[] | null
}

const ADDRESS = /^[^\s@<>()[\],;:\\"]+@[^\s@<>()[\],;:\\".]+(?:\.[^\s@<>()[\],;:\\".]+)*$/

/** Matches the part before the comma in "Silva, Ana <ana@example.com>". */
const NAME = /^(?:[\p{L}\p{M}'’\s-]|\.(?=\s|$))+$/u

/**
 * Returns the email addresses in a text. They may be on lines, separated by commas, follow names, or be a table column.
 */
export function readAddresses(text: string): string[] {
  const withoutNames = text.replace(/"[^"\n]*"(?=\s*<)/g, '')
  const parts = withoutNames.split(/[;\n\t]/).flatMap((line) => {
    const pieces = line.split(',')
    return pieces.filter((piece, at) => !(NAME.test(piece) && pieces[at + 1]?.includes('<')))
  })
  const found = parts.flatMap((part) => {
    const named = [...part.matchAll(/<([^<>]*)>/g)].map(([, inner]) => inner!.trim())
    return named.length > 0 ? named : part.split(/\s+/)
  })
  return unique(
    found.map((one) => one.replace(/^mailto:/i, '').replace(/^["'(]+|["').]+$/g, '')).filter((one) => one !== ''),
  )
}

/** Removes duplicates, ignoring case. */
export function unique(emails: readonly string[]): string[] {
  return [...new Map(emails.toReversed().map((email) => [email.toLowerCase(), email])).values()].toReversed()
}

export function addressStatus(email: string, { members, invited, domains }: AddressContext): AddressStatus {
  if (!ADDRESS.test(email)) return 'malformed'
  const key = email.toLowerCase()
  if (members.has(key)) return 'member'
  if (invited.has(key)) return 'invited'
  return domains === null || domains.some((one) => isIn(key, one)) ? 'fine' : 'foreign'
}

/** Returns false if the server will not send an invitation to the address. */
export function isInvitable(email: string, known: AddressContext): boolean {
  const status = addressStatus(email, known)
  return status === 'fine' || status === 'invited'
}

function isIn(email: string, { domain, allow_subdomains }: { domain: string; allow_subdomains: boolean }): boolean {
  const own = email.slice(email.lastIndexOf('@') + 1)
  return own === domain.toLowerCase() || (allow_subdomains && own.endsWith(`.${domain.toLowerCase()}`))
}
