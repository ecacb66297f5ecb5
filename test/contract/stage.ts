import type { Channel } from '../../server/channels/channel.ts'
import { BotType, Role } from '../../server/people/users/role.ts'
import { type Chat, type Person, startChat } from '../harness.ts'
import type { Coverage } from '../reference/coverage.ts'

/** A small organization whose people listen while all operations of an area are called. */
export type Stage = {
  readonly chat: Chat
  /** An owner. */
  readonly ada: Person
  readonly ben: Person
  /** A member whose address nobody sees. */
  readonly cleo: Person
  /** A guest. */
  readonly gus: Person
  /** A bot of ada's. */
  readonly bot: Person
  /** Public, with everybody in it. */
  readonly design: Channel
  /** Fetches what everybody's queues hold since they were opened. */
  listen(): Promise<void>
}

const everything = {
  archived_channels: true,
  bulk_message_deletion: true,
  empty_topic_name: true,
  include_deactivated_groups: true,
  linkifier_url_template: true,
  notification_settings_null: true,
  stream_typing_notifications: true,
  user_avatar_url_field_optional: true,
  user_list_incomplete: true,
  user_settings_object: true,
}

/** What clients register with: one that knows nothing new, the terminal, the mobile app. */
export const forms: readonly Record<string, unknown>[] = [
  {},
  { apply_markdown: true, client_gravatar: true, include_subscribers: true },
  { slim_presence: true, client_gravatar: false, apply_markdown: true, client_capabilities: everything },
]

/** As long as any clock is turned here. */
const patient = { queue_lifespan_secs: 86_400 }

export async function openStage(seen: Coverage): Promise<Stage> {
  const chat = await startChat({ seen, isDisposable: true })
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
