import type { ImportReport } from './import-report.ts'
import type { ExportData } from './read-export.ts'

/** Why nothing is made of a table of the export. */
const reasons: Readonly<Record<string, string>> = {
  zerver_realmplayground: 'playgrounds are to be set up again',
  zerver_scheduledmessage: 'they are to be scheduled again',
  zerver_draft: 'drafts stay where they were written',
  zerver_savedsnippet: 'snippets are to be saved again',
  zerver_realmauthenticationmethod: 'the ways to sign in are those of this server',
  zerver_userpresence: 'when people were last here is told anew',
  zerver_realmauditlog: 'there is no such log here',
  zerver_defaultstreamgroup: 'there are no groups of default channels here',
  zerver_channelfolder: 'there are no folders of channels here',
  zerver_botstoragedata: 'bots begin without what they had stored',
  zerver_botconfigdata: 'embedded bots do not run here',
  zerver_imageattachment: 'pictures are measured anew',
}

/** Notes all of the export that nothing here is made of. */
export function reportSkippedTables(data: ExportData, losses: ImportReport): void {
  for (const { table, rows } of data.unread) losses.add(table, reasons[table] ?? 'there is no such thing here', rows)
  losses.add('pictures of the organization', 'all organizations have the same here', data.icons)
  if (data.hasStatistics) losses.add('analytics.json', 'there are no such statistics here')
  if (data.realm.deactivated) losses.add('the end of the organization', 'it was deactivated there, and is active here')
  const away = [...data.users.values()].filter((row) => row.is_active && row.long_term_idle)
  losses.add('what people who were long away received', 'the export has it only in part', away.length)
}
