import { refusal } from '#lib/errors/refusal.ts'

const domainEmpty = refusal('BAD_REQUEST', 400, "Invalid domain: Domain can't be empty.", { field: 'domain' })
const domainTooLong = refusal('BAD_REQUEST', 400, 'Invalid domain: Domain is too long.', { field: 'domain' })
const domainWithoutDot = refusal('BAD_REQUEST', 400, 'Invalid domain: Domain must have at least one dot (.)', {
  field: 'domain',
})
const domainCharacters = refusal(
  'BAD_REQUEST',
  400,
  "Invalid domain: Domain can only have letters, numbers, '.' and '-'s, and its parts cannot begin or end with '-'.",
  { field: 'domain' },
)

export const domainNameRefusals = [domainEmpty, domainTooLong, domainWithoutDot, domainCharacters]

const LABEL = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?'
const DOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})+$`)

/** Returns the domain in lower case, without surrounding white space. Refuses an invalid domain. */
export function requireDomainName(given: string): string {
  const domain = given.trim().toLowerCase()
  if (domain === '') throw domainEmpty()
  if (domain.length > 255) throw domainTooLong()
  if (!domain.includes('.')) throw domainWithoutDot()
  if (!DOMAIN.test(domain)) throw domainCharacters()
  return domain
}
