import type { ExportData } from './read-export.ts'

/** An item that was skipped or changed. */
export type SkippedItem = { what: string; count: number; why: string }

/** Collects all skipped and changed items for the report. */
export type ImportReport = {
  add(what: string, why: string, count?: number): void
  list(): SkippedItem[]
}

export function openImportReport(): ImportReport {
  const report = new Map<string, SkippedItem>()
  return {
    add(what, why, count = 1) {
      if (count === 0) return
      const key = `${what}\n${why}`
      const item = report.get(key) ?? { what, count: 0, why }
      report.set(key, { ...item, count: item.count + count })
    },
    list: () => [...report.values()],
  }
}

/** Reports the permissions of a row that are set but not supported. */
export function reportUnknownPermissions(
  row: Readonly<Record<string, unknown>>,
  known: readonly string[],
  report: ImportReport,
): void {
  for (const [name, value] of Object.entries(row))
    if (/^can_\w+$/.test(name) && typeof value === 'number' && !known.includes(name))
      report.add(`the permission ${name}`, 'this permission is not supported')
}

/** The reasons why tables of the export are skipped. */
const reasons: Readonly<Record<string, string>> = {
  zerver_realmplayground: 'playgrounds have to be set up again',
  zerver_scheduledmessage: 'messages have to be scheduled again',
  zerver_draft: 'drafts are not imported',
  zerver_savedsnippet: 'snippets have to be saved again',
  zerver_realmauthenticationmethod: 'this server has its own authentication methods',
  zerver_userpresence: 'presence is recorded from now on',
  zerver_realmauditlog: 'audit logs are not supported',
  zerver_defaultstreamgroup: 'groups of default channels are not supported',
  zerver_channelfolder: 'channel folders are not supported',
  zerver_botstoragedata: 'bots start with an empty storage',
  zerver_botconfigdata: 'embedded bots are not supported',
  zerver_imageattachment: 'image sizes are determined again',
}

/** Reports all data of the export that is not imported. */
export function reportSkippedTables(data: ExportData, report: ImportReport): void {
  for (const { table, rows } of data.unread) report.add(table, reasons[table] ?? 'not supported', rows)
  if (data.hasStatistics) report.add('analytics.json', 'these statistics are not supported')
  if (data.realm.deactivated)
    report.add('deactivation of the organization', 'it was deactivated there, and is active here')
  const away = [...data.users.values()].filter((row) => row.is_active && row.long_term_idle)
  report.add('messages to long-inactive users', 'the export contains only some of them', away.length)
}
