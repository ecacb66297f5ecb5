import { checkLinkifier } from '#markdown/links/linkifier.ts'
import { requireDomainName } from '#realms/domain-name.ts'
import { saveRealmDomain } from '#realms/domain-queries.ts'
import { saveLinkifier } from '#realms/linkifier-queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { nullIfRefused } from './import-error.ts'
import type { ImportReport } from './import-report.ts'
import type { ExportData } from './read-export.ts'

/** Imports the email domains. Some are invalid, because converters write the host of the server on which they ran. */
export async function importDomains(
  tx: Transaction,
  realm: Realm,
  { domains }: ExportData,
  report: ImportReport,
): Promise<void> {
  for (const { domain, allow_subdomains } of domains) {
    const name = nullIfRefused(() => requireDomainName(domain))
    if (name === null) report.add('domains', 'they are not valid email domains')
    else await saveRealmDomain(tx, realm.id, { domain: name, allowsSubdomains: allow_subdomains ?? false })
  }
}

/** Imports the linkifiers in order. Older versions wrote parameters of URLs as `%(name)s`. */
export async function importLinkifiers(
  tx: Transaction,
  realm: Realm,
  { linkifiers }: ExportData,
  report: ImportReport,
): Promise<void> {
  const rows = linkifiers.toSorted((one, other) => (one.order ?? 0) - (other.order ?? 0) || one.id - other.id)
  const patterns = new Set<string>()
  for (const { pattern, url_template, url_format_string } of rows) {
    const urlTemplate = url_template ?? (url_format_string ?? '').replace(/%\((\w+)\)s/g, '{$1}')
    if (patterns.has(pattern) || checkLinkifier(pattern, urlTemplate) !== null) {
      report.add('linkifiers', 'their patterns or addresses are not supported')
      continue
    }
    patterns.add(pattern)
    await saveLinkifier(tx, realm.id, { pattern, urlTemplate })
  }
}
