import assert from 'node:assert/strict'
import { updateSearchIndex } from '#messages/search-index.ts'
import { issueApiKey } from '#people/api-keys.ts'
import { findUserByDeliveryEmail } from '#people/user-queries.ts'
import { importOrganization } from '#transfer/import-organization.ts'
import { type Chat, type Person, personOf } from '../harness.ts'

/** Imports the folder; `person` returns API access for its people by the beginning of their addresses. */
export async function importInto(chat: Chat, folder: string, subdomain = 'harbour', ownerEmail?: string) {
  const { storage, services } = chat.app
  const imported = await importOrganization({ storage, files: services.files, folder, subdomain, ownerEmail })
  await updateSearchIndex(storage)
  return {
    ...imported,
    async person(name: string): Promise<Person> {
      const user = await findUserByDeliveryEmail(services.db, imported.realm.id, `${name}@harbour.example`)
      assert(user, `${name} was not imported`)
      const key = await services.transaction((tx) => issueApiKey(tx, user.id, 'test'))
      return personOf(chat, imported.realm, user, key)
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: tests read whatever field they are about
type MessageJson = Record<string, any>

/** Returns all messages that a person may read, oldest first. */
export async function messagesOf(person: Person, narrow: unknown[] = []) {
  const { messages } = await person.succeed('GET /messages', {
    anchor: 'newest',
    num_before: 1000,
    num_after: 0,
    narrow,
    apply_markdown: false,
    allow_empty_topic_name: true,
  })
  return messages as MessageJson[]
}
