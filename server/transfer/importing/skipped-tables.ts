import type { ImportReport } from './import-report.ts'
import type { ExportData } from './read-export.ts'

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
