import { type Command, Option } from 'commander'
import { type AuditFilters, auditCsv, findAuditEntries } from '#organizations/audit-log.ts'
import { auditCategories, auditKindNames } from '#people/audit.ts'
import { openCliContext, requireAccount, requireOrganization, UsageError } from './cli-context.ts'
import { jsonOption, print, printPieces, toIsoTime } from './output.ts'

type Options = {
  org: string
  json: boolean
  search: string
  category?: (typeof auditCategories)[number]
  event?: string
  actor?: string
  about?: string
  since?: string
  until?: string
  limit?: string
  csv: boolean
}

const MAX_ENTRIES = 10_000

/** The actors of entries that no account has caused. */
const WITHOUT_ACTOR = { command: 'operator', directory: 'directory', server: 'server', request: '–' } as const

/** Adds the command that shows the audit log, with the filters of the page. */
export function addAuditCommand(program: Command): void {
  program
    .command('audit')
    .description('show the audit log of an organization, the newest entry first')
    .option('--org <subdomain>', 'subdomain of the organization; the root organization if omitted', '')
    .option('--search <text>', 'part of the name of a person, channel, group or setting', '')
    .addOption(new Option('--category <category>', 'kind of changes').choices([...auditCategories]))
    .addOption(new Option('--event <event>', 'a single kind of change').choices(auditKindNames))
    .option('--actor <address>', 'email address of the account that made the changes')
    .option('--about <address>', 'email address of the account that the changes are about')
    .option('--since <date>', 'the first day, such as 2026-03-01, or a time in ISO 8601')
    .option('--until <date>', 'the day or time before which the changes were made')
    .option('--limit <count>', `number of entries, at most ${MAX_ENTRIES}; 100 if omitted, and all with --csv`)
    .addOption(new Option('--csv', 'print a file for spreadsheets').default(false).conflicts('json'))
    .addOption(jsonOption())
    .addHelpText('after', '\nExample:\n  parley audit --category accounts --since 2026-03-01 --csv >audit.csv')
    .action(showAuditLog)
}

async function showAuditLog({ org, json, csv, search, category, event, ...given }: Options): Promise<void> {
  const limit = Number(given.limit ?? 100)
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_ENTRIES)
    throw new UsageError(`${given.limit} is not a number from 1 to ${MAX_ENTRIES}.`)
  const [since, until] = [readTime(given.since), readTime(given.until)]
  await using context = await openCliContext({ org })
  const realm = await requireOrganization(context, org)
  const idOf = async (email: string | undefined) =>
    email === undefined ? undefined : (await requireAccount(context, realm, email)).id
  const about = await idOf(given.about)
  const filters: AuditFilters = {
    ...{ search, category, since, until, actorId: await idOf(given.actor) },
    ...(event !== undefined && { kinds: auditKindNames.filter((kind) => kind === event) }),
    ...(about !== undefined && { target: { type: 'user', id: about } }),
  }
  if (csv) {
    await printPieces(
      auditCsv(context.storage.db, realm.id, null, filters, given.limit === undefined ? Infinity : limit),
    )
    return
  }
  const entries = await findAuditEntries(context.storage.db, realm.id, null, filters, limit)
  if (json) {
    process.stdout.write(`${JSON.stringify(entries)}\n`)
    return
  }
  print(
    entries.map((entry) => ({
      time: toIsoTime(entry.timestamp),
      actor: entry.actor_name ?? WITHOUT_ACTOR[entry.origin],
      event: entry.kind,
      about: entry.target_name ?? '',
      details: Object.keys(entry.details).length === 0 ? '' : JSON.stringify(entry.details),
      from: [entry.client, entry.network_address ?? ''].filter((part) => part !== '').join(', '),
    })),
    false,
  )
}

function readTime(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw new UsageError(`${text} is not a date such as 2026-03-01.`)
  return time / 1000
}
