import type { Command } from 'commander'
import { commandLine } from '#lib/process.ts'
import { endLegalHold, findLegalHolds, startLegalHold } from '#messages/legal-holds.ts'
import { recordAudit } from '#people/audit.ts'
import { requireNotErased } from '#people/erasures.ts'
import { lockRealm } from '#realms/queries.ts'
import {
  CliError,
  openCliContext,
  requireAccount,
  requireChannel,
  requireOrganization,
  UsageError,
} from './cli-context.ts'
import { jsonOption, orgOption, print, toIsoTime } from './output.ts'

type Place = { org: string; json: boolean }
type HoldOptions = Place & { user?: string; channel?: string; reason: string }

export function addHoldCommands(program: Command): void {
  const hold = program.command('hold').description('keep deleted messages and files for a legal reason')

  hold
    .command('start')
    .description('start a hold on a person, a channel or the whole organization')
    .option('--user <address>', 'email address of the person')
    .option('--channel <name>', 'name of the channel')
    .option('--reason <text>', 'a note, such as a file number', '')
    .addOption(orgOption())
    .addOption(jsonOption())
    .action(startHold)

  hold.command('list').description('list the holds').addOption(orgOption()).addOption(jsonOption()).action(listHolds)

  hold
    .command('end <id>')
    .description('end a hold, and delete the copies that no other hold covers')
    .addOption(orgOption())
    .addOption(jsonOption())
    .action(endHold)
}

async function startHold({ org, json, user, channel, reason }: HoldOptions): Promise<void> {
  if (user !== undefined && channel !== undefined) throw new UsageError('Give either --user or --channel, not both.')
  await using context = await openCliContext({ org })
  const realm = await requireOrganization(context, org)
  const account = user === undefined ? null : await requireAccount(context, realm, user)
  const named = channel === undefined ? null : await requireChannel(context, realm, channel)
  const [userId, channelId] = [account?.id ?? null, named?.id ?? null]
  const id = await context.storage.transaction(async (tx) => {
    await lockRealm(tx, realm.id)
    if (userId !== null) await requireNotErased(tx.db, userId)
    const started = await startLegalHold(tx, { realmId: realm.id, userId, channelId, reason })
    await recordAudit(tx, realm.id, 'legal_hold_started', { hold_id: started, user_id: userId, channel_id: channelId })
    return started
  })
  print({ id, on: user ?? (named === null ? realm.name : `#${named.name}`), reason }, json)
}

async function listHolds({ org, json }: Place): Promise<void> {
  await using context = await openCliContext({ org })
  const realm = await requireOrganization(context, org)
  const holds = await findLegalHolds(context.storage.db, realm.id)
  print(
    holds.map(({ id, userId, channelId, reason, startedAt }) => ({
      ...{ id, user_id: userId, channel_id: channelId, started: toIsoTime(startedAt), reason },
    })),
    json,
  )
}

async function endHold(id: string, { org, json }: Place): Promise<void> {
  await using context = await openCliContext({ org })
  const realm = await requireOrganization(context, org)
  await context.storage.transaction(async (tx) => {
    await lockRealm(tx, realm.id)
    if (!(await endLegalHold(tx, realm.id, Number(id) || 0)))
      throw new CliError(`There is no hold ${id} in ${realm.name}. \`${commandLine('hold list')}\` shows all.`)
    await recordAudit(tx, realm.id, 'legal_hold_ended', { hold_id: Number(id) })
  })
  print({ id: Number(id), state: 'ended' }, json)
}
