import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from './message.ts'
import * as rights from './rights.ts'

const [EVERYBODY, MODERATORS, NOBODY] = [1, 2, 3]
const [OWN, OTHER, OWN_BOT] = [10, 11, 12]

const SENT = 1_000_000

const message = (change: Partial<Message> = {}) =>
  ({
    id: 5,
    type: 'stream',
    stream_id: 7,
    subject: 'tea',
    sender_id: OWN,
    timestamp: SENT,
    submessages: [],
    ...change,
  }) as unknown as Message

const rules = (change: object = {}) =>
  ({
    user_id: OWN,
    realm_users: [
      { user_id: OWN, role: 400 },
      { user_id: OWN_BOT, role: 400, bot_owner_id: OWN },
      { user_id: OTHER, role: 400 },
    ],
    realm_user_groups: [
      { id: EVERYBODY, members: [OWN, OTHER, OWN_BOT], direct_subgroup_ids: [] },
      { id: MODERATORS, members: [], direct_subgroup_ids: [] },
      { id: NOBODY, members: [], direct_subgroup_ids: [] },
    ],
    subscriptions: [{ stream_id: 7, is_archived: false }],
    unsubscribed: [],
    never_subscribed: [],
    realm_allow_message_editing: true,
    realm_message_content_edit_limit_seconds: 600,
    realm_message_content_delete_limit_seconds: 600,
    realm_message_edit_history_visibility_policy: 'all',
    realm_move_messages_within_stream_limit_seconds: 600,
    realm_move_messages_between_streams_limit_seconds: 600,
    realm_can_delete_any_message_group: MODERATORS,
    realm_can_delete_own_message_group: EVERYBODY,
    realm_can_move_messages_between_channels_group: EVERYBODY,
    realm_can_move_messages_between_topics_group: EVERYBODY,
    ...change,
  }) as unknown as rights.MessageRules

const moderator = { realm_users: [{ user_id: OWN, role: 300 }] }

test("users edit their own messages within the organization's limits", () => {
  assert.equal(rights.mayEdit(rules(), message(), SENT + 600), true)
  assert.equal(rights.mayEdit(rules(), message(), SENT + 601), false)
  assert.equal(rights.mayEdit(rules({ realm_message_content_edit_limit_seconds: null }), message(), SENT + 9e9), true)
  assert.equal(rights.mayEdit(rules({ realm_allow_message_editing: false }), message(), SENT), false)
  assert.equal(rights.mayEdit(rules(), message({ sender_id: OTHER }), SENT), false)
  assert.equal(rights.mayEdit(rules(), message({ submessages: [{}] as Message['submessages'] }), SENT), false)
})

test('users delete messages of their own and of their bots in time, and any message with permission', () => {
  assert.equal(rights.mayDelete(rules(), message(), SENT + 600), true)
  assert.equal(rights.mayDelete(rules(), message(), SENT + 601), false)
  assert.equal(rights.mayDelete(rules(), message({ sender_id: OWN_BOT }), SENT), true)
  assert.equal(rights.mayDelete(rules(), message({ sender_id: OTHER }), SENT), false)
  assert.equal(rights.mayDelete(rules({ realm_can_delete_own_message_group: NOBODY }), message(), SENT), false)
  const all = rules({ realm_can_delete_any_message_group: EVERYBODY })
  assert.equal(rights.mayDelete(all, message({ sender_id: OTHER }), SENT + 601), true)
})

test('users with permission move messages to another topic, and anyone names an unnamed topic', () => {
  const nobody = rules({ realm_can_move_messages_between_topics_group: NOBODY })

  assert.equal(rights.mayMoveToTopic(rules(), message({ sender_id: OTHER }), SENT + 600), true)
  assert.equal(rights.mayMoveToTopic(rules(), message(), SENT + 601), false)
  assert.equal(rights.mayMoveToTopic(rules(moderator), message(), SENT + 601), true)
  assert.equal(rights.mayMoveToTopic(nobody, message(), SENT), false)
  assert.equal(rights.mayMoveToTopic(nobody, message({ subject: '' }), SENT), true)
  assert.equal(rights.mayMoveToTopic(rules(), message({ type: 'private' }), SENT), false)
})

test('users with permission move messages to another channel', () => {
  const nobody = rules({ realm_can_move_messages_between_channels_group: NOBODY })

  assert.equal(rights.mayMoveToChannel(rules(), message(), SENT + 600), true)
  assert.equal(rights.mayMoveToChannel(rules(), message(), SENT + 601), false)
  assert.equal(rights.mayMoveToChannel(rules(moderator), message(), SENT + 601), true)
  assert.equal(rights.mayMoveToChannel(nobody, message({ subject: '' }), SENT), false)
  assert.equal(rights.mayMoveToChannel(rules(), message({ type: 'private' }), SENT), false)
})

test('the edit history is available for changes that the organization shows', () => {
  const of = (policy: string, change: Partial<Message>) =>
    rights.maySeeHistory(rules({ realm_message_edit_history_visibility_policy: policy }), message(change))

  assert.equal(of('all', {}), false)
  assert.equal(of('all', { last_edit_timestamp: SENT }), true)
  assert.equal(of('moves', { last_edit_timestamp: SENT }), false)
  assert.equal(of('moves', { last_moved_timestamp: SENT }), true)
  assert.equal(of('none', { last_moved_timestamp: SENT }), false)
})

test("messages in unsubscribed channels can't be unread", () => {
  assert.equal(rights.mayMarkUnread(rules(), message()), true)
  assert.equal(rights.mayMarkUnread(rules({ subscriptions: [] }), message()), false)
  assert.equal(rights.mayMarkUnread(rules({ subscriptions: [] }), message({ type: 'private' })), true)
})

test("messages in archived channels can't be changed", () => {
  const archived = [{ stream_id: 7, is_archived: true }]

  assert.equal(rights.isConversationOpen(rules(), message()), true)
  assert.equal(rights.isConversationOpen(rules({ subscriptions: archived }), message()), false)
  assert.equal(rights.isConversationOpen(rules({ subscriptions: [], unsubscribed: archived }), message()), false)
  assert.equal(rights.isConversationOpen(rules({ subscriptions: [], never_subscribed: archived }), message()), false)
})
