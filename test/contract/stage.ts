import { createSecretKey } from 'node:crypto'
import type { Channel } from '#channels/channel.ts'
import { noSignInFile } from '#lib/sign-in-file.ts'
import { BotType, Role } from '#rules/role.ts'
import { type Chat, type Person, startChat } from '../harness.ts'
import type { Coverage } from '../reference/coverage.ts'

/** A small organization whose users have event queues while all operations of an area are called. */
export type Stage = {
  readonly chat: Chat
  /** An owner. */
  readonly ada: Person
  readonly ben: Person
  /** A member whose email address is hidden. */
  readonly cleo: Person
  /** A guest. */
  readonly gus: Person
  /** A bot owned by Ada. */
  readonly bot: Person
  /** A public channel with all users. */
  readonly design: Channel
  /** Fetches the events of all queues since they were opened. */
  listen(): Promise<void>
}

/** All capabilities that clients can have. */
export const everything = {
  archived_channels: true,
  bulk_message_deletion: true,
  empty_topic_name: true,
  include_deactivated_groups: true,
  linkifier_url_template: true,
  notification_settings_null: true,
  parley_extensions: true,
  stream_typing_notifications: true,
  user_avatar_url_field_optional: true,
  user_list_incomplete: true,
  user_settings_object: true,
}

/** The registrations of different clients: one without new capabilities, the terminal client, the mobile app. */
export const forms: readonly Record<string, unknown>[] = [
  {},
  { apply_markdown: true, client_gravatar: true, include_subscribers: true },
  { slim_presence: true, client_gravatar: false, apply_markdown: true, client_capabilities: everything },
]

/** Longer than any advance of the clock in these tests. */
const patient = { queue_lifespan_secs: 86_400 }

/** The key of a program that signs people in. */
export const JWT_KEY = createSecretKey(Buffer.from('a secret of at least 32 bytes, for tests'))

const jwt = {
  ...{ organization: '', key: JWT_KEY, algorithms: ['HS256'], issuer: undefined, audience: undefined },
  ...{ origins: [], createsAccounts: true },
}

/** Over HTTPS, because passkeys exist at no other address. */
const EXTERNAL_URL = 'https://parley.test'

export async function openStage(coverage: Coverage): Promise<Stage> {
  const settings = { EXTERNAL_URL, SIGN_IN_FILE: { ...noSignInFile, jwt: [jwt] } }
  const chat = await startChat({ seen: coverage, isDisposable: true, settings })
  const ada = await chat.user('ada', { role: Role.owner })
  const ben = await chat.user('ben')
  const cleo = await chat.user('cleo', { settings: { email_address_visibility: 4 } })
  const gus = await chat.user('gus', { role: Role.guest })
  const bot = await chat.user('helper', { botType: BotType.generic, owner: ada })
  const design = await chat.channel('design', [ada, ben, cleo, gus, bot])
  const queues = await Promise.all(
    [ada, ben, gus, bot].flatMap((person) =>
      forms.map(async (form) => ({
        person,
        queue: (await person.succeed('POST /register', { ...form, ...patient }))['queue_id'],
      })),
    ),
  )
  return {
    ...{ chat, ada, ben, cleo, gus, bot, design },
    async listen() {
      for (const { person, queue } of queues)
        await person.succeed('GET /events', { queue_id: queue, last_event_id: -1, dont_block: true })
    },
  }
}
