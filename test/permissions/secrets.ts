import { issueApiKey } from '#people/api-keys.ts'
import { newTotpSecret, saveTotp } from '#people/second-factors.ts'
import { AddressVisibility } from '#people/user-settings.ts'
import { Role } from '#rules/role.ts'
import { upload } from '../files.ts'
import { START } from '../harness.ts'
import { addToChannel, sendDirect, sendToChannel } from '../messages.ts'
import type { Organization } from './organization.ts'

/** Two secrets that differ in every text, name, number and choice, but not in the ids that the server allocates. */
export const variants = {
  one: { word: 'acquisition', of: <Value>(one: Value, _: Value) => one },
  other: { word: 'redundancies', of: <Value>(_: Value, other: Value) => other },
} as const

export type Variant = (typeof variants)[keyof typeof variants]

/** A secret, and the callers who may know it. All others must not notice which of the variants it has. */
type Secret = { knownTo: string; keep(organization: Organization, variant: Variant): Promise<void> }

const LATER = START + 20 * 86_400

/** Secrets by those from whom they are kept. */
export const secrets: Readonly<Record<string, Secret>> = {
  'everyone who does not take part': {
    knownTo: 'nobody',
    async keep({ chat, others, targets, callers }, { word, of }) {
      const { sue, tom, otto } = others
      const secret = { name: 'private' }
      const url = await upload(chat, sue, { name: `${word}.txt`, bytes: of('a file', 'a page') })
      const id = await sendToChannel(sue, secret, `The ${word}, @**Tom**: [plan](${url})`, `about ${word}`)
      await tom.succeed(`POST /messages/${id}/reactions`, { emoji_name: of('tada', 'cry') })
      await sue.succeed(`PATCH /messages/${id}`, { content: `The **${word}**: [plan](${url})` })
      await sendDirect(sue, [of(tom, otto)], `The ${word}`)
      await sue.succeed('POST /typing', { type: 'direct', op: 'start', to: [of(tom, otto).id] })

      const draft = { type: 'stream', to: [1], topic: word, content: word, timestamp: START }
      await sue.succeed('POST /drafts', { drafts: [draft] })
      await sue.succeed('POST /saved_snippets', { title: word, content: word })
      const direct = { type: 'direct', to: [of(tom, otto).id], content: word }
      await sue.succeed('POST /scheduled_messages', { ...direct, scheduled_delivery_timestamp: LATER })
      const reminder = { message_id: id, scheduled_delivery_timestamp: LATER, note: word }
      await sue.succeed('POST /reminders', reminder)
      await sue.succeed('POST /users/me/alert_words', { alert_words: [word] })

      // Nobody learns what a person does with messages, topics and other people, if they do not share it.
      await sue.succeed('PATCH /settings', { send_read_receipts: false, enter_sends: of(true, false) })
      const own = of(callers.owner, callers.member).own
      for (const flag of ['read', 'starred'])
        await sue.succeed('POST /messages/flags', { messages: [own['message_id']], op: 'add', flag })
      await sue.succeed(`POST /users/me/muted_users/${of(callers.member, callers.guest).own['user_id']}`)
      const topic = { stream_id: targets['joined']?.['stream_id'], topic: 'tea', visibility_policy: of(1, 3) }
      await sue.succeed('POST /user_topics', topic)
      await sue.succeed(`PATCH /users/me/subscriptions/${topic.stream_id}`, {
        property: 'is_muted',
        value: of(true, false),
      })
      await tom.succeed('PATCH /settings', { presence_enabled: false })
      await tom.succeed('POST /users/me/presence', { status: of('active', 'idle') })

      await chat.app.services.transaction((tx) => issueApiKey(tx, sue.id, word))
      await sue.succeed('POST /users/me/android_gcm_reg_id', { token: word })
      await chat.user('hal', {
        email: `${word}@example.com`,
        settings: { email_address_visibility: AddressVisibility.nobody },
      })
    },
  },
  'everyone but administrators': {
    knownTo: 'admins',
    async keep({ chat, others, targets }, { word, of }) {
      const { sue, otto, mary, max } = others
      const path = `/streams/${targets['private']?.['stream_id']}`
      await addToChannel(sue, { name: 'private' }, [of(mary, max)])
      await otto.succeed(`PATCH ${path}`, { new_name: word, description: `About ${word}` })
      const can_send_message_group = { new: { direct_members: [of(mary, max).id], direct_subgroups: [] } }
      await otto.succeed(`PATCH ${path}`, { can_send_message_group })
      await sue.succeed('POST /invites', { invitee_emails: `${word}@x.com`, stream_ids: [] })
      await otto.succeed('POST /invites', {
        invitee_emails: `boss-${word}@x.com`,
        stream_ids: [],
        invite_as: of(100, 400),
      })
      await chat.user('hal', {
        email: `${word}@example.com`,
        settings: { email_address_visibility: AddressVisibility.administrators },
      })
      const { secret: key, random, transaction } = chat.app.services
      const totp = { secret: newTotpSecret(random), lastStep: 0 }
      await transaction((tx) => saveTotp(tx, { secret: key, random }, of(mary, max).id, totp))
      const service_payload_url = JSON.stringify(`https://example.com/${word}`)
      await otto.succeed(`PATCH /bots/${targets["Sue's program"]?.['bot_id']}`, { service_payload_url })
      const secret = { secret: word }
      await sue.succeed(
        `PUT /bots/${targets["Sue's webhook"]?.['bot_id']}/webhook_secrets/${of('github', 'gitlab')}`,
        secret,
      )
    },
  },
  'guests who have not subscribed': {
    knownTo: 'members hook',
    async keep({ chat, others, targets }, { word, of }) {
      const { sue, otto, mary, max } = others
      const stream_id = targets['public']?.['stream_id']
      const url = await upload(chat, sue, { name: `${word}.txt`, bytes: of('a file', 'a page') })
      await sendToChannel(sue, { name: 'public' }, `The ${word}: [plan](${url})`, `about ${word}`)
      await addToChannel(sue, { name: 'public' }, [of(mary, max)])
      await otto.succeed(`PATCH /streams/${stream_id}`, { new_name: word, description: word })
      await otto.succeed(`${of('POST', 'DELETE')} /default_streams`, { stream_id })
    },
  },
  'guests who cannot see all users': {
    knownTo: 'everyone hook -limited',
    async keep({ others, targets }, { word, of }) {
      const { otto, mary } = others
      await mary.succeed('PATCH /settings', {
        full_name: `Mary of ${word}`,
        timezone: of('Europe/Paris', 'Asia/Tokyo'),
      })
      await mary.succeed('POST /users/me/status', { status_text: word })
      await mary.succeed('PATCH /users/me/profile_data', {
        data: [{ id: targets['a profile field']?.['field_id'], value: word }],
      })
      await otto.succeed(`PATCH /users/${mary.id}`, { role: of(Role.moderator, Role.administrator) })
      await otto.succeed(`POST /user_groups/${targets[of('a group', 'a group to join')]?.['user_group_id']}/members`, {
        add: [mary.id],
      })
    },
  },
}
