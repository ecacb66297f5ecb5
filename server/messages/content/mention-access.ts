import { isInSetting } from '#groups/membership.ts'
import type { Viewer } from '#groups/viewer.ts'
import { refusal } from '#lib/errors/refusal.ts'

export const mayNotMentionChannel = refusal(
  'STREAM_WILDCARD_MENTION_NOT_ALLOWED',
  400,
  'You do not have permission to use channel wildcard mentions in this channel.',
  { field: 'content' },
)
export const mayNotMentionTopic = refusal(
  'TOPIC_WILDCARD_MENTION_NOT_ALLOWED',
  400,
  'You do not have permission to use topic wildcard mentions in this topic.',
  { field: 'content' },
)
export const mayNotMentionGroup = refusal('BAD_REQUEST', 400, "You are not allowed to mention user group '{name}'.", {
  field: 'content',
})

/** The maximum number of users that a wildcard mention may notify without a permission. */
const MAX_UNRESTRICTED_MENTIONS = 15

/** Refuses `@all` and its synonyms in a channel with this many subscribers if the author may not notify so many users. */
export async function requireMayMentionChannel(viewer: Viewer, subscribers: number): Promise<void> {
  if (!(await mayMentionMany(viewer, subscribers))) throw mayNotMentionChannel()
}

/** Refuses `@topic` in a topic with this many participants if the author may not notify so many users. */
export async function requireMayMentionTopic(viewer: Viewer, participants: number): Promise<void> {
  if (!(await mayMentionMany(viewer, participants))) throw mayNotMentionTopic()
}

export async function requireMayMentionGroups(viewer: Viewer, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const scope = await viewer.scope()
  for (const id of ids) {
    const group = scope.groups.byId.get(id)
    if (group !== undefined && !isInSetting(scope, viewer.actor, group.settings.can_mention_group))
      throw mayNotMentionGroup({ name: group.name })
  }
}

async function mayMentionMany(viewer: Viewer, count: number): Promise<boolean> {
  if (count <= MAX_UNRESTRICTED_MENTIONS) return true
  const { actor } = viewer
  return isInSetting(await viewer.scope(), actor, actor.realm.settings.can_mention_many_users_group)
}
