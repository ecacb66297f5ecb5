import type { Command } from 'commander'
import { findRealmChannels, lockChannel } from '#channels/queries.ts'
import { archiveChannel } from '#channels/update-channel.ts'
import { lockRealm } from '#realms/queries.ts'
import type { Realm } from '#realms/realm.ts'
import type { Transaction } from '#storage/storage.ts'
import { unarchiveChannel } from '#workflows/archive-channel.ts'
import { openCliContext, requireChannel, requireOrganization } from './cli-context.ts'
import { jsonOption, print } from './output.ts'

type Place = { org: string; json: boolean }

/** Adds the commands for channels. Channels are named by name or by id. */
export function addChannelCommands(program: Command): void {
  const channels = program.command('channel').description('manage channels')
  const add = (command: string, description: string) =>
    channels
      .command(command)
      .description(description)
      .option('--org <subdomain>', 'subdomain of the organization; the root organization if omitted', '')
      .addOption(jsonOption())

  add('list', 'list all channels, private and archived ones included').action(async ({ org, json }: Place) => {
    await using context = await openCliContext({ org })
    const realm = await requireOrganization(context, org)
    const found = await findRealmChannels(context.storage.db, realm.id)
    print(
      found.map(({ id, name, isPrivate, isWebPublic, archivedAt }) => ({
        ...{ id, name, private: isPrivate, web_public: isWebPublic, archived: archivedAt !== null },
      })),
      json,
    )
  })
  add('archive <channel>', 'archive a channel: its messages stay readable').action((given: string, place: Place) =>
    change(given, place, async (tx, realm, id) => {
      await archiveChannel(tx, realm, await lockChannel(tx, id))
      return true
    }),
  )
  add('unarchive <channel>', 'make an archived channel usable again').action((given: string, place: Place) =>
    change(given, place, async (tx, realm, id) => {
      await unarchiveChannel(tx, realm, await lockChannel(tx, id))
      return false
    }),
  )
}

/** Changes the channel in a transaction, and prints whether it is archived now. */
async function change(
  given: string,
  { org, json }: Place,
  write: (tx: Transaction, realm: Realm, id: number) => Promise<boolean>,
): Promise<void> {
  await using context = await openCliContext({ org })
  const realm = await requireOrganization(context, org)
  const channel = await requireChannel(context, realm, given)
  const archived = await context.storage.transaction(async (tx) => write(tx, await lockRealm(tx, realm.id), channel.id))
  print({ id: channel.id, name: channel.name, archived }, json)
}
